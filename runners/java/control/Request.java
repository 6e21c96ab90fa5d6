package control;

import java.util.List;
import java.util.Map;

/** An object of a request, with members of the kinds that the protocol has. */
public final class Request {
    private final Map<String, Object> members;

    public Request(Map<String, Object> members) {
        this.members = members;
    }

    public static Request read(byte[] line) {
        return new Request(Json.object(line));
    }

    private <T> T member(String name, Class<T> type, T missing) {
        Object value = members.get(name);
        if (value == null) {
            return missing;
        }
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("the request's \"" + name + "\" has the wrong type");
        }
        return type.cast(value);
    }

    public String text(String name) {
        return member(name, String.class, "");
    }

    public long integer(String name) {
        return member(name, Long.class, 0L);
    }

    /** An integer from {@code least} to {@code most}. */
    public long integer(String name, long least, long most) {
        long n = integer(name);
        if (n < least || n > most) {
            throw new IllegalArgumentException(name + " is " + n + "; want " + least + " to " + most);
        }
        return n;
    }

    public boolean flag(String name) {
        return member(name, Boolean.class, false);
    }

    @SuppressWarnings("unchecked")
    public Request object(String name) {
        return new Request((Map<String, Object>) member(name, Map.class, Map.of()));
    }

    @SuppressWarnings("unchecked")
    public List<Request> objects(String name) {
        return ((List<Object>) member(name, List.class, List.of())).stream().map(o -> {
            if (!(o instanceof Map)) {
                throw new IllegalArgumentException("the request's \"" + name + "\" holds something that is no object");
            }
            return new Request((Map<String, Object>) o);
        }).toList();
    }

    @SuppressWarnings("unchecked")
    public List<String> texts(String name) {
        return ((List<Object>) member(name, List.class, List.of())).stream().map(String::valueOf).toList();
    }
}
