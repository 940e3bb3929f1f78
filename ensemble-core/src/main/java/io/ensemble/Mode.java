package io.ensemble;

/**
 * How consistent a cache is, and what that costs. Its guarantee stands here once; the README's
 * table and this text are held to it by a test.
 *
 * <p>{@link #WEAK}: converges by stamp order, last writer wins; a write that only one site has yet
 * may be lost: with that site, or to an older write that arrives there later and whose answer is
 * lost.
 *
 * <p>{@link #SWMR}: linearizable per key, every single-key operation of {@code ConcurrentMap}, for
 * one writing process at a time; a second one is refused. With acknowledgement PRIMARY this holds
 * until a failover, which may drop the last writes of a bounded window, and reports them. Readers
 * may have seen the dropped writes.
 *
 * <p>{@link #MWMR}: linearizable per key, every single-key operation of {@code ConcurrentMap}.
 *
 * <p>In every mode {@code size}, {@code clear}, bulk operations and iteration are not atomic.
 */
public enum Mode {
  /** One site answers, the others follow. */
  WEAK(
      "the local (or fastest) site",
      "the local site first, the others in the background; a majority before returning if asked",
      "all sites but one",
      "converges by stamp order, last writer wins; a write that only one site has yet may be lost: "
          + "with that site, or to an older write that arrives there later and whose answer is lost",
      "read 1; put 1; conditional operation 2",
      "each write at most once, in the order of stamps; the last write of each key once a site that "
          + "holds it can be reached"),

  /**
   * One writer at a time, many readers: a primary site answers, a majority remembers. The first of
   * the definition's sites is the first primary. The first process that writes becomes the writer,
   * until it closes the cache or gives no sign of life for two seconds; writes of others fail with
   * {@link WriterPresentException} meanwhile. A process is one opened cache of one manager: two
   * managers in one virtual machine are two.
   *
   * <p>Leases rely on clocks that count the seconds nearly alike, and so on machines that are not
   * suspended: a monotonic clock stands still with its machine.
   */
  SWMR(
      "the primary, within its lease",
      "the other sites of a majority, then the primary; if asked, the primary alone, the others in"
          + " the background",
      "any minority of sites down, slow, cut off or wiped; after the loss of the primary, calls "
          + "fail for about five seconds, until another site is the primary",
      "linearizable per key, every single-key operation of `ConcurrentMap`, for one writing "
          + "process at a time; a second one is refused. With acknowledgement PRIMARY this holds "
          + "until a failover, which may drop the last writes of a bounded window, and reports "
          + "them",
      "read 1; put and conditional operation 3, by the primary alone 2; a key's first use in a new term 4 more",
      "each chosen write at most once, in the order of its key, and not before a read can return "
          + "it; one that is not shown was overwritten. Refused with acknowledgement PRIMARY"),

  /** Many writers, many readers: majorities of sites answer. */
  MWMR(
      "any majority, in parallel",
      "any majority, in parallel",
      "any minority of sites down, slow, cut off or wiped",
      "linearizable per key, every single-key operation of `ConcurrentMap`",
      "read 1, 2 when the majority disagrees; put and conditional operation 2, at most 4 with a"
          + " site down",
      "each chosen write at most once, in the order of its key, and not before a read can return "
          + "it; a gap covers each acknowledged write that is not shown");

  /** What holds in every mode, for the text below the table. */
  public static final String NOT_ATOMIC =
      "In every mode `size`, `clear`, bulk operations and iteration are not atomic.";

  private final String read;
  private final String write;
  private final String survives;
  private final String guarantee;
  private final String roundTrips;
  private final String changes;

  Mode(
      String read,
      String write,
      String survives,
      String guarantee,
      String roundTrips,
      String changes) {
    this.read = read;
    this.write = write;
    this.survives = survives;
    this.guarantee = guarantee;
    this.roundTrips = roundTrips;
    this.changes = changes;
  }

  /** Which sites answer a read. */
  public String read() {
    return read;
  }

  /** Which sites a write waits for. */
  public String write() {
    return write;
  }

  /** Which failures the cache works through. */
  public String survives() {
    return survives;
  }

  /** What readers may rely on. */
  public String guarantee() {
    return guarantee;
  }

  /** Rounds of requests to sites that an operation costs without contention. */
  public String roundTrips() {
    return roundTrips;
  }

  /** What a stream of changes shows, see {@link EnsembleCache#listen}. */
  public String changes() {
    return changes;
  }

  /** The modes as a Markdown table, each line ended, and what holds for all of them. */
  public static String guaranteeTable() {
    StringBuilder table =
        new StringBuilder(
                "| mode | read | write | survives | guarantee | round trips | stream of changes |\n")
            .append("|---|---|---|---|---|---|---|\n");
    for (Mode mode : values()) {
      table.append(
          "| %s | %s | %s | %s | %s | %s | %s |\n"
              .formatted(
                  mode,
                  mode.read,
                  mode.write,
                  mode.survives,
                  mode.guarantee,
                  mode.roundTrips,
                  mode.changes));
    }
    return table.append('\n').append(NOT_ATOMIC).append('\n').toString();
  }
}
