// Package oracle holds the redactor to the rules of gitleaks, which others wrote: tokens are made at random from their expressions, and what gitleaks takes for a secret must not come through.
//
// Invariant: nothing imports this module, and nothing of it is in a build of nodwyn.
package oracle
