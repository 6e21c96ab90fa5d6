package runner

import "context"

// Serve implements Process.
func (f *Fake) Serve(ctx context.Context, _ ServeRequest) (*ServeReply, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	return &ServeReply{Address: "127.0.0.1:1"}, nil
}

// Usage implements Process.
func (f *Fake) Usage(ctx context.Context) (*UsageReply, error) {
	if err := f.begin(ctx, ""); err != nil {
		return nil, err
	}
	return &UsageReply{CPUNS: -1}, nil
}

// Call implements Process.
func (f *Fake) Call(ctx context.Context, req CallRequest) (*CallReply, error) {
	if err := f.begin(ctx, req.Codec); err != nil {
		return nil, err
	}
	return nil, &SkippedError{"a fake calls nothing"}
}
