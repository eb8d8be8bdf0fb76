package event

// Skipped counts the files that an index leaves out, by reason.
type Skipped struct {
	// NotRegular counts links, sockets and the like.
	NotRegular int `json:"not_regular"`
	// TooLarge counts files over the size limit.
	TooLarge int `json:"too_large"`
	// Binary counts files that hold a NUL byte.
	Binary int `json:"binary"`
	// Protected counts files that the guard keeps from every reader.
	Protected int `json:"protected"`
}

// IndexUpdate records a refresh that read or removed files. It never holds content.
type IndexUpdate struct {
	// Root is the tree's absolute path.
	Root string `json:"root"`
	// Files counts the files held after the refresh.
	Files int `json:"files"`
	// Read counts the files whose content was read.
	Read int `json:"read"`
	// Removed counts the files that are gone.
	Removed int `json:"removed"`
	// Skipped counts what was left out.
	Skipped Skipped `json:"skipped"`
	// Refused lists the paths that the guard refused, at most 100.
	Refused []string `json:"refused"`
	// Left counts the files that were not read in time.
	Left int `json:"left"`
	// Capped says that the tree has more files than an index holds.
	Capped bool `json:"capped"`
	// WallMS is the time it took in milliseconds.
	WallMS int64 `json:"wall_ms"`
}

func (IndexUpdate) kind() Kind { return "index.update" }
