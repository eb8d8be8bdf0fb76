package plain

import (
	"fmt"
	"strings"
)

// tests are the words of find that choose and print, marked as flags are by what follows them. The other words delete, write or run.
const tests spec = "-name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -regextype: -lname: -ilname: -type: -xtype: -size: " +
	"-mtime: -mmin: -atime: -amin: -ctime: -cmin: -newer@ -anewer@ -cnewer@ -newermt: -perm: -user: -group: -uid: -gid: -links: -inum: -samefile@ " +
	"-maxdepth: -mindepth: -printf: -fstype: -used: -empty -print -print0 -ls -prune -quit -depth -xdev -mount -daystart -noleaf -true -false " +
	"-executable -readable -writable -nouser -nogroup -not -and -a -or -o ! ( ) ,"

// find reads the words of find: flags, places, and an expression.
func find(args []string) (Safe, error) {
	safe := Safe{Argv: append([]string{"find"}, args...)}
	i := 0
	for i < len(args) && (args[i] == "-H" || args[i] == "-L" || args[i] == "-P") {
		i++
	}
	for ; i < len(args) && !beginsExpression(args[i]); i++ {
		safe.Reads = append(safe.Reads, args[i])
	}
	for ; i < len(args); i++ {
		mark := tests.mark(args[i])
		if mark == alone {
			continue
		}
		if mark == unlisted || i+1 >= len(args) || isOther(args[i+1]) {
			return Safe{}, Reason(fmt.Sprintf("it is not known what %q does there", args[i]))
		}
		i++
		if mark == fromFile {
			safe.Reads = append(safe.Reads, args[i])
		}
	}
	return safe, nil
}

func beginsExpression(word string) bool {
	return strings.HasPrefix(word, "-") || word == "!" || word == "(" || word == ")" || word == ","
}

// isOther reports whether a value looks like another word of find, by which a version that expects none would be told something.
func isOther(value string) bool {
	return len(value) > 1 && value[0] == '-' && !isNumber(value[1:2])
}
