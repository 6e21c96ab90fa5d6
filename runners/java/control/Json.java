package control;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads wirecost's requests: a small JSON reader of our own, since control traffic must not use a library
 * under test. Objects become maps, arrays lists, integers Long, other numbers Double.
 */
public final class Json {
    private static final int DEEPEST = 100;

    private final String text;
    private int at;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** Reads an object; anything else is an IllegalArgumentException. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> object(byte[] line) {
        try {
            Json j = new Json(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString());
            Object value = j.value();
            j.space();
            if (j.at != j.text.length() || !(value instanceof Map)) {
                throw j.wrong();
            }
            return (Map<String, Object>) value;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the request is not UTF-8");
        }
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("the request is not a JSON object: at character " + at);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        space();
        if (at == text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private boolean take(char c) {
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char c) {
        if (!take(c)) {
            throw wrong();
        }
    }

    private Object value() {
        if (++depth > DEEPEST) {
            throw wrong();
        }
        Object value = read();
        depth--;
        return value;
    }

    private Object read() {
        switch (peek()) {
            case '{':
                return members();
            case '[':
                return elements();
            case '"':
                return string();
            case 't':
                return word("true", true);
            case 'f':
                return word("false", false);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong();
        }
        at += word.length();
        return value;
    }

    private Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        if (take('}')) {
            return members;
        }
        do {
            if (peek() != '"') {
                throw wrong();
            }
            String key = string();
            expect(':');
            members.put(key, value());
        } while (take(','));
        expect('}');
        return members;
    }

    private List<Object> elements() {
        List<Object> elements = new ArrayList<>();
        expect('[');
        if (take(']')) {
            return elements;
        }
        do {
            elements.add(value());
        } while (take(','));
        expect(']');
        return elements;
    }

    private String string() {
        StringBuilder s = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return s.toString();
            }
            if (c < ' ') {
                break;
            }
            s.append(c == '\\' ? escape() : c);
        }
        throw wrong();
    }

    /** Reads an escape and stays on its last character. */
    private char escape() {
        if (++at == text.length()) {
            throw wrong();
        }
        char c = text.charAt(at);
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        if (c != 'u' || at + 4 >= text.length()) {
            throw wrong();
        }
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(text.charAt(++at), 16);
            if (digit < 0) {
                throw wrong();
            }
            unit = 16 * unit + digit;
        }
        return (char) unit;
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(start, at);
        boolean whole = number.chars().allMatch(c -> c == '-' || c >= '0' && c <= '9');
        try {
            return whole ? (Object) Long.valueOf(number) : Double.valueOf(number);
        } catch (NumberFormatException e) {
            throw wrong();
        }
    }
}
