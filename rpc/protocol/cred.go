package protocol

// CredRegisterParams are the params of cred/register.
type CredRegisterParams struct {
	// Class names the credential, as in the configuration's credential key.
	Class string `json:"class"`
	// Value is the secret. It is handed over once and never sent back.
	Value string `json:"value"`
}

// Validate names the first wrong field.
func (p CredRegisterParams) Validate() error {
	return first(required("class", p.Class), required("value", p.Value))
}

// CredParams name a credential.
type CredParams struct {
	// Class names the credential.
	Class string `json:"class"`
}

// Validate names the first wrong field.
func (p CredParams) Validate() error { return required("class", p.Class) }

// Credential says that a credential is there, and never what it is.
type Credential struct {
	// Class names it.
	Class string `json:"class"`
	// ID says where it is kept: "keychain" or "file".
	ID string `json:"id"`
}

// CredResult is the result of cred/register, cred/list and cred/remove: what is there now.
type CredResult struct {
	// Credentials are sorted by class.
	Credentials []Credential `json:"credentials"`
}
