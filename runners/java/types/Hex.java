package types;

import java.util.HexFormat;

/** Bytes that JSON holds as hexadecimal digits. */
public final class Hex {
    public final byte[] bytes;

    public Hex(String text) {
        bytes = HexFormat.of().parseHex(text);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
