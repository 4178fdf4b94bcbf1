#!/bin/sh
# Greets somebody.
name=$1
echo "Helo, $name!"
