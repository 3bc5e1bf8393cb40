# SPDX-License-Identifier: Apache-2.0
# Read an HTML page and print its errors: unknown or unclosed tags, dangerous attributes, and text that is not escaped.
# The record separator is '>': each record is text followed by a tag.
function wrong(what) {
    if (++count <= 10) print "tag " NR ": " what ": " substr($0, 1, 80)
}
function attributes(text, name, value) {
    while (match(text, /^ [a-zA-Z:-]+(="[^"<>]*")?/)) {
        name = substr(text, 2, RLENGTH - 1)
        value = ""
        if (name ~ /=/) { value = name; sub(/^[^=]*="/, "", value); sub(/"$/, "", value); sub(/=.*/, "", name) }
        text = substr(text, RLENGTH + 1)
        if (name ~ /^on/ || name == "style" || name == "src" || name ~ /:/) wrong("attribute " name)
        if (name == "href" && value !~ /^#[a-z0-9-]+$/) wrong("a link out of the page")
        if (name == "data-v" && value !~ /^-?[0-9][0-9.e+-]*$/) wrong("a value that is no number")
        if (value ~ /&/) wrong("text in an attribute")
        if (name == "id" && seen[value]++) wrong("id twice")
    }
    if (text != "" && text != "/") wrong("no attributes: " text)
}
BEGIN {
    RS = "<"
    split("html head meta title style script body a header h1 h2 h3 h4 p main footer div span b pre section article details " \
          "summary ul li dl dt dd svg desc path circle rect text g table thead tbody tr th td label input code", names, " ")
    for (i in names) known[names[i]] = 1
}
NR == 1 { if ($0 != "") wrong("text before the page"); next }
raw != "" { # all that stands in a style or a script
    if (index($0, "/" raw ">") != 1) next
    raw = ""
}
/^!doctype html>/ { next }
{
    end = index($0, ">")
    tag = substr($0, 1, end - 1)
    text = substr($0, end + 1)
    if (end == 0) { wrong("a < that is not escaped"); next }
    name = tag
    sub(/^\//, "", name)
    sub(/[^a-z0-9].*/, "", name)
    if (!(name in known)) wrong("no tag of ours")
    if (substr(tag, 1, 1) == "/") {
        if (depth == 0 || open[depth] != name) wrong("closes " open[depth])
        else depth--
        if (tag != "/" name) wrong("a closing tag with more in it")
    } else {
        attributes(substr(tag, length(name) + 1))
        if (name != "meta" && name != "input" && tag !~ /\/$/) open[++depth] = name
        if (name == "style" || name == "script") { raw = name; raws[name]++; next }
    }
    if (text ~ />/) wrong("a > that is not escaped")
    gsub(/&(amp|lt|gt|quot|#39);/, "", text)
    if (text ~ /&/) wrong("a & that is not escaped")
    if (text ~ /[\001-\010\013-\037\177]/) wrong("a control character")
    if (text ~ /\342\200[\250\251\252-\256]/ || text ~ /\342\201[\246-\251]/) wrong("a mark that turns text around")
}
END {
    if (depth > 0) wrong(open[depth] " is never closed")
    if (raws["style"] != 1 || raws["script"] != 1) wrong("not one style and one script")
    if (NR < 20) wrong("no page")
}
