#!/bin/sh
# Greets whom it is given.
echo "Hello, $1!"
