if true; then
export FRESHER_MODEL=opus
fi
export FRESHER_MODEL="${FRESHER_MODEL:-$(rm -rf /)}"
export FRESHER_TEST_CMD='a && b'
cat <<EOF
