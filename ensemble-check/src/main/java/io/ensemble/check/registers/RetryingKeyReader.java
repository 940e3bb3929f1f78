package io.ensemble.check.registers;

import io.ensemble.check.trial.SlowWaitReporter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads keys one after the other, each until it has an answer, with a limit for each and one for
 * all. Used by one thread.
 */
final class RetryingKeyReader {
  private final ClientSession session;
  private final SlowWaitReporter slowWaitReporter;
  private final int tries;
  private final Duration longest;

  /**
   * @param tries the maximum number of reads of a key
   * @param longest the time limit for all keys; a read that has begun by then still completes
   */
  RetryingKeyReader(
      ClientSession session, SlowWaitReporter slowWaitReporter, int tries, Duration longest) {
    this.session = session;
    this.slowWaitReporter = slowWaitReporter;
    this.tries = tries;
    this.longest = longest;
  }

  /**
   * The result of the reads.
   *
   * @param trouble the reason why a key had no answer; the keys after it were not read
   */
  record ReadResult(Map<String, Optional<Long>> values, Optional<String> trouble) {}

  /**
   * Reads {@code k0} and so on.
   *
   * @param through the site of the reads, for messages
   */
  ReadResult read(int keys, String through) throws InterruptedException {
    Map<String, Optional<Long>> values = new LinkedHashMap<>();
    long begin = System.nanoTime();
    for (int key = 0; key < keys; key++) {
      String name = "k" + key;
      slowWaitReporter.begin("reading key=%s site=%s".formatted(name, through));
      long first = System.nanoTime();
      int tried = 0;
      while (!values.containsKey(name)) {
        boolean late = System.nanoTime() - begin > longest.toNanos();
        if (tried == tries || (tried > 0 && late)) {
          return new ReadResult(values, Optional.of(failureText(name, through, tried, first)));
        }
        Object value = session.perform(name, EntryCall.read());
        tried++;
        if (session.isAnswered()) {
          values.put(name, Optional.ofNullable((Long) value));
        } else {
          slowWaitReporter.setStage(
              "reading key=%s site=%s tries=%d last=%s"
                  .formatted(name, through, tried, session.lastOutcome()));
        }
      }
    }
    return new ReadResult(values, Optional.empty());
  }

  private String failureText(String name, String through, int tried, long first) {
    return "a final read was not answered; key=%s site=%s tries=%d millis=%d last=%s"
        .formatted(
            name, through, tried, (System.nanoTime() - first) / 1_000_000, session.lastOutcome());
  }
}
