package provider

import (
	"strings"
	"testing"
)

func TestReadFailure(t *testing.T) {
	long := strings.Repeat("é", maxMessage)
	for in, want := range map[string]Failure{
		``:                           {},
		"Forbidden by the proxy\n":   {Message: "Forbidden by the proxy"},
		`{"detail":"no such field"}`: {Message: "no such field"},
		`{"a":1}`:                    {Message: `{"a":1}`},
		`{"error":"busy"}`:           {Found: true, Message: "busy"},
		`{"error":null}`:             {Message: `{"error":null}`},
		`{"error":{"code":429,"message":"slow"}}`:                      {Found: true, Code: "429", Message: "slow"},
		`{"error":{"type":"t","code":null,"message":null}}`:            {Found: true, Code: "t", Message: `{"error":{"type":"t","code":null,"message":null}}`},
		`{"object":"error","type":"T","message":"bad"}`:                {Found: true, Code: "T", Message: "bad"},
		`{"type":"error","code":"c","message":"bad"}`:                  {Found: true, Code: "c", Message: "bad"},
		`{"error":{"type":"t","details":{"error_code":"exact"}}}`:      {Found: true, Code: "exact", Message: `{"error":{"type":"t","details":{"error_code":"exact"}}}`},
		`{"error":{"type":"t","message":"m","details":[{"a":1}]}}`:     {Found: true, Code: "t", Message: "m"},
		`{"error":{"type":"t","message":"m","details":{"other":"x"}}}`: {Found: true, Code: "t", Message: "m"},
		`{"error":{"message":"a","message":"b"}}`:                      {Found: true, Message: "b"},
		long: {Message: long[:maxMessage] + "…"},
	} {
		check(t, in, ReadFailure([]byte(in)), want)
	}
}
