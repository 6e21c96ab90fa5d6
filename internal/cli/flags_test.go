package cli

import "testing"

func TestSizesAreSpeltAsTheyAreRead(t *testing.T) {
	for text, want := range map[string]int64{"64MiB": 64 << 20, "64MB": 64e6, "1GiB": 1 << 30, "2kB": 2000, "2KiB": 2048, "17": 17, "1.5MB": 1_500_000} {
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want {
			t.Errorf("%s is read as %d, %v; want %d", text, int64(b), err, want)
		}
		var again byteSize
		if err := again.Set(b.String()); err != nil || again != b {
			t.Errorf("%s is spelt %s, which is read as %d, %v", text, b.String(), int64(again), err)
		}
	}
	for _, text := range []string{"", "-1", "many", "0", "1XB"} {
		var b byteSize
		if err := b.Set(text); err == nil {
			t.Errorf("%q is read as %d", text, int64(b))
		}
	}
}
