package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a trace as text, one JSON object per line, compressed if the file's name ends with {@code
 * .gz}. A value in UTF-8 is written as {@code text}, another as {@code base64}, none as {@code
 * removed}. A read has {@code at} and {@code read}. Not thread-safe.
 */
public final class TraceWriter implements TraceSink, Closeable {

  private static final JsonFactory JSON = new JsonFactory();

  private final Writer text;
  private final JsonGenerator json;

  private TraceWriter(Writer text, TraceHeader header) throws IOException {
    this.text = text;
    this.json = JSON.createGenerator(text);
    json.setPrettyPrinter(new MinimalPrettyPrinter(""));
    json.writeStartObject();
    json.writeNumberField("ensemble_trace", TraceHeader.FORMAT);
    json.writeStringField("source", header.source());
    json.writeStringField("origin", header.origin());
    endObject();
  }

  /** Writes to a new file, or replaces an existing one. */
  public static TraceWriter to(Path file, TraceHeader header) throws IOException {
    OutputStream bytes = Files.newOutputStream(file);
    try {
      OutputStream packed = isPacked(file) ? new GZIPOutputStream(bytes) : bytes;
      return new TraceWriter(new BufferedWriter(new OutputStreamWriter(packed, UTF_8)), header);
    } catch (IOException e) {
      bytes.close();
      throw e;
    }
  }

  static boolean isPacked(Path file) {
    return file.toString().endsWith(".gz");
  }

  @Override
  public void take(TraceVersion version) throws IOException {
    json.writeStartObject();
    json.writeStringField("key", version.key());
    json.writeNumberField("version", version.version());
    if (version.value().isPresent()) {
      write(version.value().get());
    } else {
      json.writeBooleanField("removed", true);
    }
    endObject();
  }

  @Override
  public void read(TraceRead read) throws IOException {
    json.writeStartObject();
    json.writeStringField("key", read.key());
    json.writeNumberField("at", read.at());
    json.writeStringField("read", read.kind().name().toLowerCase(Locale.ROOT));
    endObject();
  }

  private void write(byte[] value) throws IOException {
    String plain = null;
    try {
      plain = UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      json.writeStringField("base64", Base64.getEncoder().encodeToString(value));
    }
    if (plain != null) {
      json.writeStringField("text", plain);
    }
  }

  private void endObject() throws IOException {
    json.writeEndObject();
    json.writeRaw('\n');
  }

  @Override
  public void close() throws IOException {
    try (Writer closed = text) {
      json.close();
    }
  }
}
