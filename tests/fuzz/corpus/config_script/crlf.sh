
export CRLF=1
