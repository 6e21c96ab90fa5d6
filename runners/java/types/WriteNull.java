package types;

import com.google.gson.Gson;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;

/** For Gson: a member that is written as null where it is unset. Others are left out then. */
public final class WriteNull implements TypeAdapterFactory {
    @Override
    public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
        TypeAdapter<T> usual = gson.getAdapter(type);
        return new TypeAdapter<T>() {
            @Override
            public T read(JsonReader in) throws IOException {
                return usual.read(in);
            }

            @Override
            public void write(JsonWriter out, T value) throws IOException {
                if (value == null) {
                    writeNull(out);
                } else {
                    usual.write(out, value);
                }
            }
        };
    }

    /** Writes null whatever the writer does with nulls otherwise. */
    public static void writeNull(JsonWriter out) throws IOException {
        boolean before = out.getSerializeNulls();
        out.setSerializeNulls(true);
        out.nullValue();
        out.setSerializeNulls(before);
    }
}
