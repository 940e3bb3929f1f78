package io.ensemble.testkit.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records operations as clients execute them, in memory or directly to a file. Thread-safe.
 *
 * <pre>{@code
 * long client = recorder.newClient();
 * HistoryRecorder.Pending read = recorder.begin(client, "k17", "read", null);
 * try {
 *   client = read.ok(cache.get("k17"));
 * } catch (TimeoutException e) {
 *   client = read.unknown();
 * }
 * }</pre>
 *
 * <p>The recorder reads the clock last in {@code begin}, and first when the operation ends. So a
 * recorded interval is never shorter than the one that the client saw, and longer by no more than
 * the recorder's own work. A recorder to a file holds only the operations under way; a recorder in
 * memory holds at most the allowed number.
 */
public final class HistoryRecorder implements Closeable {
  private final LongSupplier nanoClock;
  private final @Nullable HistoryWriter file;
  private final int maxInMemory;

  // All fields are guarded by this.
  private final List<HistoryOperation> done = new ArrayList<>();
  private final Map<Long, Pending> pendingByClient = new LinkedHashMap<>();
  private final Set<Long> idleClients = new LinkedHashSet<>();
  private long nextClient;
  private boolean closed;
  private @Nullable IOException writeFailure;

  private HistoryRecorder(
      LongSupplier nanoClock, long firstClient, @Nullable HistoryWriter file, int maxInMemory) {
    this.nanoClock = nanoClock;
    this.nextClient = firstClient;
    this.file = file;
    this.maxInMemory = maxInMemory;
  }

  /**
   * Records in memory; {@link #history} returns the recorded operations.
   *
   * @param nanoClock a clock that never goes back, in nanoseconds; the same for all recorders of
   *     one history
   * @param maxOperations the maximum number of operations; {@code begin} refuses the next one
   */
  public static HistoryRecorder inMemory(LongSupplier nanoClock, int maxOperations) {
    return new HistoryRecorder(nanoClock, 0, null, maxOperations);
  }

  /**
   * Records to a file, each operation when it ends.
   *
   * @param nanoClock a clock that never goes back, in nanoseconds; the same for all recorders of
   *     one history
   * @param firstClient the number of the first client; processes whose files will be joined use
   *     disjoint ranges
   * @throws IOException if the file cannot be opened
   */
  public static HistoryRecorder toFile(LongSupplier nanoClock, long firstClient, Path file)
      throws IOException {
    return new HistoryRecorder(nanoClock, firstClient, HistoryWriter.to(file), Integer.MAX_VALUE);
  }

  /** Returns a client number that was never used before. */
  public synchronized long newClient() {
    long client = nextClient++;
    idleClients.add(client);
    return client;
  }

  /** As {@link #begin(long, String, String, String, Object)}, for objects without entries. */
  public Pending begin(long client, String key, String op, @Nullable Object in) {
    return begin(client, key, op, null, in);
  }

  /**
   * Records that {@code client} is about to call. The caller ends the handle exactly once.
   *
   * @param in the argument, as Jackson turns it into JSON; null for absent
   * @throws IllegalStateException if the client has an operation under way, ended one as unknown,
   *     or did not come from this recorder; if the recorder is full, closed or cannot write
   */
  public Pending begin(
      long client, String key, String op, @Nullable String entry, @Nullable Object in) {
    Pending pending = new Pending(client, key, op, entry, JsonValues.of(in));
    synchronized (this) {
      refuseUnlessReady(client);
      idleClients.remove(client);
      pendingByClient.put(client, pending);
      pending.callNanos = nanoClock.getAsLong();
    }
    return pending;
  }

  private void refuseUnlessReady(long client) {
    if (closed) {
      throw new IllegalStateException("the recorder is closed");
    }
    if (writeFailure != null) {
      throw new IllegalStateException(
          "the recorder could not write; its file is no history", writeFailure);
    }
    if (pendingByClient.containsKey(client)) {
      throw new IllegalStateException(
          "client " + client + " has an operation under way; expected one at a time");
    }
    if (!idleClients.contains(client)) {
      throw new IllegalStateException(
          "expected a client from newClient() or from how the last operation ended, got " + client);
    }
    if (done.size() + pendingByClient.size() >= maxInMemory) {
      throw new IllegalStateException("the recorder is full: " + maxInMemory + " operations");
    }
  }

  /**
   * The history so far, in which operations under way are unknown. Empty if this recorder writes to
   * a file.
   */
  public synchronized OperationHistory history() {
    List<HistoryOperation> all = new ArrayList<>(done);
    if (file == null) {
      pendingByClient.values().forEach(pending -> all.add(pending.open()));
    }
    return new OperationHistory(all);
  }

  /**
   * Ends the recording; operations still under way are recorded as unknown.
   *
   * @throws IOException if anything could not be written, now or earlier
   */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      for (Pending pending : pendingByClient.values()) {
        pending.settled = true;
        store(pending.open());
      }
      pendingByClient.clear();
    } finally {
      if (file != null) {
        file.close();
      }
    }
    if (writeFailure != null) {
      throw writeFailure;
    }
  }

  private void store(HistoryOperation operation) throws IOException {
    if (file == null) {
      done.add(operation);
      return;
    }
    try {
      file.write(operation);
    } catch (IOException e) {
      writeFailure = e;
      throw e;
    }
  }

  private synchronized long complete(Pending pending, HistoryOperation operation) {
    if (pending.settled) {
      throw new IllegalStateException(
          "the operation of client " + pending.client + " has already ended");
    }
    pending.settled = true;
    pendingByClient.remove(pending.client);
    try {
      store(operation);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (operation.outcome() == HistoryOutcome.UNKNOWN) {
      return newClient();
    }
    idleClients.add(pending.client);
    return pending.client;
  }

  /**
   * An operation under way. It ends once, by any thread; a second end is an {@link
   * IllegalStateException}. Each end returns the number under which the client continues, and fails
   * with {@link UncheckedIOException} if the file cannot be written.
   */
  public final class Pending {
    private final long client;
    private final String key;
    private final String op;
    private final @Nullable String entry;
    private final JsonNode in;
    private long callNanos;
    private boolean settled;

    private Pending(long client, String key, String op, @Nullable String entry, JsonNode in) {
      this.client = client;
      this.key = key;
      this.op = op;
      this.entry = entry;
      this.in = in;
    }

    /**
     * The time of the call in nanoseconds. Together with the client, it identifies the operation in
     * the history.
     */
    public long callNanos() {
      return callNanos;
    }

    /**
     * The operation completed.
     *
     * @param out the result, as Jackson turns it into JSON; null for absent
     */
    public long ok(@Nullable Object out) {
      long now = nanoClock.getAsLong();
      return complete(this, ended(JsonValues.of(out), now, HistoryOutcome.OK));
    }

    /** The operation certainly had no effect. */
    public long failed() {
      long now = nanoClock.getAsLong();
      return complete(this, ended(NullNode.instance, now, HistoryOutcome.REFUSED));
    }

    /**
     * The operation has perhaps had an effect, or will have one, or never will. The client gets a
     * new number.
     */
    public long unknown() {
      return complete(this, open());
    }

    private HistoryOperation open() {
      return ended(NullNode.instance, null, HistoryOutcome.UNKNOWN);
    }

    private HistoryOperation ended(
        JsonNode out, @Nullable Long returnNanos, HistoryOutcome outcome) {
      return new HistoryOperation(client, key, op, entry, in, out, callNanos, returnNanos, outcome);
    }
  }
}
