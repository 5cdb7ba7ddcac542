package netz

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/internal/wording"
)

// fetch asks for the document. Every redirect is checked against the prefix
// before it is followed (deviation D-41).
func (r *Reader) fetch(ctx context.Context, p *prefix, u *url.URL) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, r.total)
	defer cancel()
	t := r.transport()
	defer t.CloseIdleConnections()
	for redirects := 0; ; redirects++ {
		res, err := r.ask(limited, t, u)
		if err != nil {
			return nil, refusal(ctx, err)
		}
		location := res.Header.Get("Location")
		if !isRedirect(res.StatusCode) || location == "" {
			document, err := body(res)
			if err == nil {
				err = limited.Err() // the server may have ended the body because we gave up
			}
			if err != nil {
				return nil, refusal(ctx, err)
			}
			return document, nil
		}
		res.Body.Close()
		if redirects == MaxRedirects {
			return nil, abruf.Refuse(abruf.ManyRedirects, nil, MaxRedirects)
		}
		next, err := u.Parse(location)
		if err != nil || !p.covers(next) {
			return nil, abruf.Refuse(abruf.LeavesPrefix, nil)
		}
		next.Fragment, next.RawFragment = "", ""
		u = next
	}
}

// ask sends one request. The transport follows no redirects by itself.
func (r *Reader) ask(ctx context.Context, t *http.Transport, u *url.URL) (*http.Response, error) {
	if err := r.checkBehindProxy(ctx, u); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	version := r.options.Version
	if version == "" {
		version = "dev"
	}
	req.Header.Set("User-Agent", "outheis/"+version+" (wissenstresor)")
	req.Header.Set("Accept", "text/markdown, text/plain")
	req.Header.Set("Accept-Encoding", "identity")
	return t.RoundTrip(req)
}

func isRedirect(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// body reads a whole document. Only 200 is one: 204 has none, and nobody asked
// for the part of one that 206 brings.
func body(res *http.Response) ([]byte, error) {
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, abruf.Refuse(abruf.Status, nil, res.StatusCode)
	}
	if coding := res.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, abruf.Refuse(abruf.Unreachable, nil, wording.Sentence{Key: "net.cause.coding"})
	}
	if res.ContentLength > MaxDocument {
		return nil, abruf.Refuse(abruf.TooLarge, nil, MaxDocument)
	}
	document, err := io.ReadAll(io.LimitReader(res.Body, MaxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(document) > MaxDocument {
		return nil, abruf.Refuse(abruf.TooLarge, nil, MaxDocument)
	}
	return document, nil
}

// refusal makes a refusal of what went wrong on the way; an end of the caller's
// context stays what it is.
func refusal(ctx context.Context, err error) error {
	var refused *abruf.Refusal
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		return refused
	}
	return abruf.Refuse(abruf.Unreachable, err, cause(err))
}

// cause words an error without a word of the server's: what it says, in a status
// line or a certificate, must not reach whoever reads the reason.
func cause(err error) any {
	say := func(key string, args ...any) wording.Sentence { return wording.Sentence{Key: key, Args: args} }
	var timeout net.Error
	var name *net.DNSError
	var errno syscall.Errno
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return say("net.cause.name", name.Name)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return say("net.cause.timeout")
	case errors.As(err, &name):
		return say("net.cause.lookup", name.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("net.cause.refused")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return say("net.cause.short")
	case errors.As(err, &errno):
		return errno
	}
	if key := certificateCause(err); key != "" {
		return say(key)
	}
	return say("net.cause.answer")
}

// certificateCause returns what is wrong with the server's certificate, or "".
func certificateCause(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var other *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unknown):
		return "net.cause.authority"
	case errors.As(err, &name):
		return "net.cause.hostname"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "net.cause.expired"
	case errors.As(err, &other):
		return "net.cause.certificate"
	}
	return ""
}
