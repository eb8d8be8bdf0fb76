package tool

import (
	"context"
	_ "embed" // for the description
	"errors"
	"slices"
	"strings"
)

//go:embed ask_person.md
var askPersonText string

const maxChoices = 10

func askPerson() Tool {
	return define(definition{
		name:        "ask-person",
		description: askPersonText,
		schema:      `{"type":"object","properties":{"text":{"type":"string","description":"the question"},"choices":{"type":"array","maxItems":10,"items":{"type":"string"},"description":"answers to pick from; other answers stay possible"}},"required":["text"],"additionalProperties":false}`,
		form:        `{"text": "Which of the two formats?", "choices": ["JSON", "TOML"]}`,
	}, runAskPerson)
}

type askPersonArguments struct {
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
}

func (a askPersonArguments) check() error {
	if strings.TrimSpace(a.Text) == "" {
		return missing("text")
	}
	if len(a.Choices) > maxChoices {
		return errors.New(`"choices" has more than 10 answers`)
	}
	if slices.Contains(a.Choices, "") {
		return errors.New(`"choices" holds an empty answer`)
	}
	return nil
}

func runAskPerson(ctx context.Context, env Env, a askPersonArguments) (Result, error) {
	answer, err := env.Guard.Question(ctx, a.Text, a.Choices)
	if err != nil {
		return Result{}, err
	}
	return Result{OK: true, Text: answer.Text}, nil
}
