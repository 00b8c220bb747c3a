package httpstream

import "testing"

func TestAPageIsNamedByItsTitle(t *testing.T) {
	for body, want := range map[string]string{
		"<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\">\n<html><head>\n<title>403 Forbidden</title>\n</head><body>": `It sent an HTML page, "403 Forbidden".`,
		"\xef\xbb\xbf\r\n<HTML><HEAD><TITLE data-a=\"b\">\n 413 Request\n Entity Too Large </TITLE>":                                                                `It sent an HTML page, "413 Request Entity Too Large".`,
		"<html><body>no</body></html>":                     `It sent an HTML page: <html><body>no</body></html>`,
		`{"error": {"message": "<title>of JSON</title>"}}`: `{"error": {"message": "<title>of JSON</title>"}}`,
		"": "",
	} {
		if got := bodyInWords([]byte(body)); got != want {
			t.Errorf("%q: %s", body, got)
		}
	}
}
