package io.ensemble.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.apache.bookkeeper.client.api.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.WriteHandle;

/**
 * Loops that write ledgers. Each loop creates a ledger, appends its entries without waiting for
 * each, waits for all, closes the ledger and begins the next.
 */
final class LedgerWriters {

  private static final int COPIES = 3;
  private static final int ACKNOWLEDGED = 2;
  private static final int LONGEST_SECONDS = 60;
  private static final byte[] PASSWORD = "none".getBytes(UTF_8);

  private final int entries;
  private final byte[] entry;
  private final long from;
  private final long to;
  private final LongAdder written = new LongAdder();

  private LedgerWriters(int entries, int bytes, long from, long to) {
    this.entries = entries;
    this.entry = new byte[bytes];
    this.from = from;
    this.to = to;
  }

  /** The times of one writer to create and to close a ledger, in nanoseconds. */
  private record LedgerTimes(Histogram making, Histogram closing) {}

  /**
   * Runs the writers.
   *
   * @param clients the clients of the writers, one each
   * @return the number of entries in ledgers that began while the run counted, then the times to
   *     create and to close ledgers. The times are compressed HdrHistograms of nanoseconds, in base
   *     64
   */
  static String run(List<BookKeeper> clients, int entries, int bytes, long warmMillis, long millis)
      throws Exception {
    long from = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(warmMillis);
    long to = from + TimeUnit.MILLISECONDS.toNanos(millis);
    LedgerWriters all = new LedgerWriters(entries, bytes, from, to);
    ExecutorService threads = Executors.newFixedThreadPool(clients.size());
    try {
      List<Future<LedgerTimes>> loops = new ArrayList<>();
      for (BookKeeper client : clients) {
        loops.add(threads.submit(() -> all.loop(client)));
      }
      Histogram making = new Histogram(3);
      Histogram closing = new Histogram(3);
      for (Future<LedgerTimes> loop : loops) {
        making.add(loop.get().making());
        closing.add(loop.get().closing());
      }
      return all.written.sum() + " " + text(making) + " " + text(closing);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Counts each ledger that begins in time, whole; at least one ledger is counted. */
  private LedgerTimes loop(BookKeeper client) throws Exception {
    LedgerTimes times = new LedgerTimes(new Histogram(3), new Histogram(3));
    long begun = System.nanoTime();
    boolean counted = false;
    while (begun - to < 0 || !counted) {
      counted = begun - from >= 0;
      ledger(client, counted ? times : new LedgerTimes(new Histogram(3), new Histogram(3)));
      if (counted) {
        written.add(entries);
      }
      begun = System.nanoTime();
    }
    return times;
  }

  private void ledger(BookKeeper client, LedgerTimes times) throws Exception {
    long begun = System.nanoTime();
    WriteHandle ledger =
        client
            .newCreateLedgerOp()
            .withEnsembleSize(COPIES)
            .withWriteQuorumSize(COPIES)
            .withAckQuorumSize(ACKNOWLEDGED)
            .withDigestType(DigestType.CRC32C)
            .withPassword(PASSWORD)
            .execute()
            .get(LONGEST_SECONDS, TimeUnit.SECONDS);
    times.making().recordValue(System.nanoTime() - begun);
    List<CompletableFuture<?>> appended = new ArrayList<>(entries);
    for (int i = 0; i < entries; i++) {
      appended.add(ledger.appendAsync(entry));
    }
    CompletableFuture.allOf(appended.toArray(CompletableFuture[]::new))
        .get(LONGEST_SECONDS, TimeUnit.SECONDS);
    long ending = System.nanoTime();
    ledger.closeAsync().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    times.closing().recordValue(System.nanoTime() - ending);
    if (ledger.getLastAddConfirmed() != entries - 1) {
      throw new IllegalStateException(
          "a ledger lacks appended entries; expected=%d found=%d"
              .formatted(entries, ledger.getLastAddConfirmed() + 1));
    }
  }

  private static String text(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    byte[] bytes = new byte[histogram.encodeIntoCompressedByteBuffer(buffer)];
    buffer.rewind();
    buffer.get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }
}
