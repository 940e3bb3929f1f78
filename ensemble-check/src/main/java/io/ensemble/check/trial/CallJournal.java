package io.ensemble.check.trial;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A history that survives the death of its process. Each call is recorded as unknown before it is
 * made, and once more when it has ended. Data passed to the operating system is written even if the
 * process is killed. Thread-safe.
 */
public final class CallJournal implements Closeable {
  private final OutputStream file;
  private long nextClient;
  private boolean closed;

  private CallJournal(OutputStream file, long firstClient) {
    this.file = file;
    this.nextClient = firstClient;
  }

  public static CallJournal to(Path file, long firstClient) throws IOException {
    return new CallJournal(Files.newOutputStream(file), firstClient);
  }

  /** Returns a client number that was never used before. */
  public synchronized long newClient() {
    return nextClient++;
  }

  /** Records that {@code client} is about to call. */
  public Call begin(
      long client, String key, String op, @Nullable String entry, @Nullable Object in) {
    Call call = new Call(client, key, op, entry, json(in), System.nanoTime());
    append(call.ended(NullNode.instance, null, HistoryOutcome.UNKNOWN));
    return call;
  }

  private static JsonNode json(@Nullable Object value) {
    return JsonOutput.mapper().valueToTree(value);
  }

  private synchronized void append(HistoryOperation operation) {
    if (closed) {
      return; // It ended too late; the record stays unknown.
    }
    try {
      StringWriter line = new StringWriter();
      try (HistoryWriter writer = new HistoryWriter(line)) {
        writer.write(operation);
      }
      file.write(line.toString().getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    file.close();
  }

  /** A call under way. Each end returns the number under which its client continues. */
  public final class Call {
    private final long client;
    private final String key;
    private final String op;
    private final @Nullable String entry;
    private final JsonNode in;
    private final long callNanos;

    private Call(
        long client, String key, String op, @Nullable String entry, JsonNode in, long callNanos) {
      this.client = client;
      this.key = key;
      this.op = op;
      this.entry = entry;
      this.in = in;
      this.callNanos = callNanos;
    }

    public long ok(@Nullable Object out) {
      long now = System.nanoTime();
      append(ended(json(out), now, HistoryOutcome.OK));
      return client;
    }

    /** The call completed, and its actual argument is another one. */
    public long ok(@Nullable Object argument, @Nullable Object out) {
      long now = System.nanoTime();
      append(
          new HistoryOperation(
              client,
              key,
              op,
              entry,
              json(argument),
              json(out),
              callNanos,
              now,
              HistoryOutcome.OK));
      return client;
    }

    public long refused() {
      long now = System.nanoTime();
      append(ended(NullNode.instance, now, HistoryOutcome.REFUSED));
      return client;
    }

    /** Writes one more line, so that the call does not count as one that was under way. */
    public long unknown() {
      append(ended(NullNode.instance, null, HistoryOutcome.UNKNOWN));
      return newClient();
    }

    private HistoryOperation ended(
        JsonNode out, @Nullable Long returnNanos, HistoryOutcome outcome) {
      return new HistoryOperation(client, key, op, entry, in, out, callNanos, returnNanos, outcome);
    }
  }

  /** Identifies a call. */
  private record PendingCallId(long client, long callNanos) {
    static PendingCallId of(HistoryOperation call) {
      return new PendingCallId(call.client(), call.callNanos());
    }
  }

  /**
   * Reads the journal of a process that may have been killed meanwhile: its last line may be
   * incomplete.
   */
  public static Collection<HistoryOperation> read(Path file) throws IOException {
    Map<PendingCallId, HistoryOperation> calls = new LinkedHashMap<>();
    lines(file).forEach(one -> calls.put(PendingCallId.of(one), one));
    return calls.values();
  }

  /** Follows the journal of a process. Reads each line once. Used by one thread at a time. */
  static final class JournalReader {
    private final Path file;
    private final Set<PendingCallId> open = new HashSet<>();
    private long read;

    JournalReader(Path file) {
      this.file = file;
    }

    /** The number of calls under way according to the journal; none if there is no file yet. */
    int countOpenCalls() throws IOException {
      if (Files.exists(file)) {
        for (HistoryOperation line : parsed(readNewLines())) {
          PendingCallId name = PendingCallId.of(line);
          if (!open.remove(name)) {
            open.add(name);
          }
        }
      }
      return open.size();
    }

    /** The complete lines that were not read before. */
    private String readNewLines() throws IOException {
      try (SeekableByteChannel channel = Files.newByteChannel(file)) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size() - read));
        channel.position(read);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
          // Until all present data is read.
        }
        int end = bytes.position();
        while (end > 0 && bytes.get(end - 1) != '\n') {
          end--;
        }
        read += end;
        return new String(bytes.array(), 0, end, UTF_8);
      }
    }
  }

  private static List<HistoryOperation> lines(Path file) throws IOException {
    String text = Files.readString(file);
    return parsed(text.substring(0, text.lastIndexOf('\n') + 1));
  }

  private static List<HistoryOperation> parsed(String whole) throws IOException {
    List<HistoryOperation> operations = new ArrayList<>();
    for (String line : whole.lines().toList()) {
      operations.addAll(HistoryReader.read(new StringReader(line)).operations());
    }
    return operations;
  }
}
