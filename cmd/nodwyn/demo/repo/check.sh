#!/bin/sh
# The project's check: the greeting must name a stranger as "world".
got=$(sh greet.sh)
if [ "$got" != "Hello, world!" ]; then
	echo "want: Hello, world!"
	echo "got:  $got"
	exit 1
fi
echo "greeting is right"
