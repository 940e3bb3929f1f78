package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Reads a file of a {@link TraceWriter}. Not thread-safe. */
public final class TraceReader implements Closeable {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final BufferedReader lines;
  private final TraceHeader header;
  private long line;

  private TraceReader(BufferedReader lines) throws IOException {
    this.lines = lines;
    this.header = first();
  }

  /**
   * Opens a trace and reads its header.
   *
   * @throws MalformedTraceException if the first line is not a header
   * @throws IOException if the file cannot be read
   */
  public static TraceReader open(Path file) throws IOException {
    InputStream bytes = Files.newInputStream(file);
    try {
      InputStream plain = TraceWriter.isPacked(file) ? unpacked(bytes) : bytes;
      return new TraceReader(
          new BufferedReader(new InputStreamReader(plain, UTF_8.newDecoder()))); // Strict.
    } catch (IOException | RuntimeException e) {
      bytes.close();
      throw e;
    }
  }

  private static InputStream unpacked(InputStream bytes) throws IOException {
    try {
      return new GZIPInputStream(bytes);
    } catch (ZipException e) {
      throw new MalformedTraceException(1, "the name ends with .gz, but this is not gzip", e);
    }
  }

  /** The header of the trace. */
  public TraceHeader header() {
    return header;
  }

  private TraceHeader first() throws IOException {
    JsonNode node = node().orElseThrow(() -> malformed("expected a header; the file is empty"));
    if (node.path("ensemble_trace").asInt() != TraceHeader.FORMAT) {
      throw malformed("expected a header with ensemble_trace=%d".formatted(TraceHeader.FORMAT));
    }
    return new TraceHeader(text(node, "source"), text(node, "origin"));
  }

  /**
   * The next version; empty at the end. Skips reads.
   *
   * @throws MalformedTraceException if a line is neither a version nor a read; the message names
   *     the line
   */
  public Optional<TraceVersion> next() throws IOException {
    return next(read -> {});
  }

  /** Receives the reads before the next version. */
  private interface ReadSink {
    void read(TraceRead read) throws IOException;
  }

  private Optional<TraceVersion> next(ReadSink reads) throws IOException {
    Optional<JsonNode> found = node();
    while (found.isPresent() && found.get().has("read")) {
      reads.read(read(found.get()));
      found = node();
    }
    return found.isPresent() ? Optional.of(version(found.get())) : Optional.empty();
  }

  private TraceRead read(JsonNode node) {
    String text = text(node, "read");
    for (TraceRead.Kind kind : TraceRead.Kind.values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(text)) {
        return new TraceRead(text(node, "key"), number(node, "at"), kind);
      }
    }
    throw malformed("expected a read: latest, old or history; got " + text);
  }

  private long number(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.canConvertToLong() || !value.isIntegralNumber()) {
      throw malformed("expected \"%s\", an integer".formatted(field));
    }
    return value.longValue();
  }

  private TraceVersion version(JsonNode node) {
    return new TraceVersion(text(node, "key"), number(node, "version"), value(node));
  }

  /** Passes all remaining versions and reads to {@code sink}. */
  public void all(TraceSink sink) throws IOException {
    Optional<TraceVersion> next = next(sink::read);
    while (next.isPresent()) {
      sink.take(next.get());
      next = next(sink::read);
    }
  }

  private Optional<byte[]> value(JsonNode node) {
    if (node.path("removed").asBoolean()) {
      return Optional.empty();
    }
    if (node.has("text")) {
      return Optional.of(text(node, "text").getBytes(UTF_8));
    }
    try {
      return Optional.of(Base64.getDecoder().decode(text(node, "base64")));
    } catch (IllegalArgumentException e) {
      throw new MalformedTraceException(line, "expected Base64", e);
    }
  }

  private String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isTextual()) {
      throw malformed("expected the string \"%s\"".formatted(field));
    }
    return value.textValue();
  }

  private MalformedTraceException malformed(String what) {
    return new MalformedTraceException(line, what, null);
  }

  private Optional<JsonNode> node() throws IOException {
    line++;
    try {
      String read = lines.readLine();
      return read == null ? Optional.empty() : Optional.of(JSON.readTree(read));
    } catch (JsonProcessingException e) {
      throw new MalformedTraceException(line, "expected one JSON object", e);
    } catch (CharacterCodingException e) {
      throw new MalformedTraceException(
          line, "expected UTF-8 at or shortly after this position", e);
    } catch (ZipException e) {
      throw new MalformedTraceException(
          line, "expected gzip data at or shortly after this position", e);
    }
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
