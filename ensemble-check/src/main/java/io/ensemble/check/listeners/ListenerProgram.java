package io.ensemble.check.listeners;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeStream;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleException;
import io.ensemble.ListenOptions;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.JsonLines;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.testkit.history.HistoryNote.ChangeReceived;
import io.ensemble.testkit.history.HistoryNote.GapReceived;
import io.ensemble.testkit.history.HistoryNote.StreamEnded;
import io.ensemble.testkit.history.HistoryNote.StreamOpened;
import io.ensemble.testkit.history.JsonValues;
import io.ensemble.testkit.history.NoteFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The program of a listener's process. It reads its {@link ListenerSpec}, opens a stream, and
 * reports that it is ready. It records each event, and saves its position after the record. On
 * {@link #REOPEN} it closes its stream and resumes from the position. From {@code stop} on it
 * receives until the last value of each key was shown, or for a limited time. It ends when its
 * standard input does.
 */
public final class ListenerProgram {

  /** The word on which it closes its stream, and opens another from the position. */
  static final String REOPEN = "reopen";

  private static final String STOP = "stop";
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long SAVE_NANOS = Duration.ofMillis(250).toNanos();
  private static final Duration BETWEEN_OPENINGS = Duration.ofMillis(500);

  /** For one opening of the stream, with repetitions while sites fail. */
  private static final Duration LONGEST_OPENING = Duration.ofSeconds(120);

  /**
   * How long the last values of the keys may take. Without events, a stream scans all sites every
   * 30 s.
   */
  private static final Duration LONGEST_END = Duration.ofSeconds(90);

  private final ListenerSpec order;
  private final EnsembleCache<String, Long> cache;
  private final NoteFile notes;
  private final PrintStream out;
  private final ClientOutcomeCounts tally = new ClientOutcomeCounts();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicBoolean isReopening = new AtomicBoolean();
  private final CountDownLatch never = new CountDownLatch(1);
  private final Set<String> keysAtEnd = new HashSet<>();
  private long nextStream;
  private long number;
  private volatile long stoppedNanos;

  private ListenerProgram(
      ListenerSpec order, EnsembleCache<String, Long> cache, NoteFile notes, PrintStream out) {
    this.order = order;
    this.cache = cache;
    this.notes = notes;
    this.out = out;
    this.nextStream = order.firstStream();
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    run(System.in, System.out);
    System.exit(0);
  }

  private static void run(InputStream in, PrintStream out) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    ListenerSpec order = JsonOutput.mapper().readValue(lines.readLine(), ListenerSpec.class);
    try (EnsembleCacheManager manager =
            FederationConnection.builder(order.sites())
                .catalog(order.catalog())
                .localSite(order.localSite())
                .build();
        NoteFile notes = NoteFile.to(Path.of(order.notes()))) {
      EnsembleCache<String, Long> cache = manager.getCache(order.cache());
      if (cache == null) {
        throw new IllegalStateException("the cache does not exist; cache=" + order.cache());
      }
      new ListenerProgram(order, cache, notes, out).work(lines);
    }
  }

  /** A stream with its number. */
  private record OpenStream(long number, ChangeStream<String, Long> changes) {}

  private void work(BufferedReader orders) throws IOException, InterruptedException {
    Thread reader = new Thread(() -> readCommands(orders), "check-ears");
    reader.setDaemon(true);
    OpenStream stream = open(order.isResumed());
    sendMessage(ClientMessage.READY);
    reader.start();
    try {
      while (stream != null) {
        stream = receiveAll(stream);
      }
    } catch (EnsembleException | IllegalStateException e) {
      tally.broken("a stream ended: " + e);
    }
    notes.flush();
    sendMessage(ClientMessage.ENDED);
    reader.join();
  }

  private void readCommands(BufferedReader orders) {
    try {
      for (String command = orders.readLine(); command != null; command = orders.readLine()) {
        if (command.equals(STOP)) {
          stop();
        } else if (command.equals(REOPEN)) {
          isReopening.set(true);
        }
      }
    } catch (IOException e) {
      // Equivalent to the end of the input.
    }
    stop();
  }

  private void stop() {
    if (stopping.getCount() > 0) {
      stoppedNanos = System.nanoTime();
      stopping.countDown();
    }
  }

  private OpenStream open(boolean isResumed) throws IOException, InterruptedException {
    SavedPosition saved = isResumed ? SavedPosition.readFrom(Path.of(order.position())) : null;
    ListenOptions<String> options =
        saved == null ? ListenOptions.all() : ListenOptions.<String>all().from(saved.position());
    long call = System.nanoTime();
    OpenStream opened = new OpenStream(nextStream++, open(options, call));
    notes.write(
        new StreamOpened(
            order.listener(),
            opened.number(),
            cache.definition().mode(),
            saved == null ? null : saved.stream(),
            saved == null ? 0 : saved.number(),
            call,
            System.nanoTime()));
    number = 0;
    save(opened);
    return opened;
  }

  /** Sites may be away, so an opening may fail. */
  private ChangeStream<String, Long> open(ListenOptions<String> options, long begin)
      throws InterruptedException {
    while (true) {
      try {
        return cache.listen(options);
      } catch (EnsembleException failure) {
        boolean isLate = System.nanoTime() - begin > LONGEST_OPENING.toNanos();
        if (isLate || stopping.getCount() == 0) {
          throw failure;
        }
        never.await(BETWEEN_OPENINGS.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /**
   * Receives until the stream is to be closed.
   *
   * @return the stream that follows; null for none
   */
  private @Nullable OpenStream receiveAll(OpenStream stream)
      throws IOException, InterruptedException {
    try (ChangeStream<String, Long> changes = stream.changes()) {
      long savedNanos = System.nanoTime();
      boolean isSaved = true;
      while (!isReopening.get() && !hasEnded()) {
        Optional<ChangeEvent<String, Long>> event = changes.next(POLL);
        event.ifPresent(one -> record(stream, one));
        isSaved &= event.isEmpty();
        if (!isSaved && System.nanoTime() - savedNanos > SAVE_NANOS) {
          save(stream);
          isSaved = true;
          savedNanos = System.nanoTime();
        }
      }
      save(stream);
      boolean isLast = !isReopening.getAndSet(false);
      notes.write(
          new StreamEnded(stream.number(), isLast ? stoppedNanos : null, System.nanoTime()));
      notes.flush();
      if (isLast) {
        return null;
      }
    }
    return open(true);
  }

  /** Whether the last value of each key was shown, or that has taken too long. */
  private boolean hasEnded() {
    return stopping.getCount() == 0
        && (keysAtEnd.size() == order.keys()
            || System.nanoTime() - stoppedNanos > LONGEST_END.toNanos());
  }

  private void record(OpenStream stream, ChangeEvent<String, Long> event) {
    long now = System.nanoTime();
    number++;
    try {
      if (event instanceof Change<String, Long> change) {
        Long value = change.value();
        notes.write(
            new ChangeReceived(
                stream.number(),
                number,
                change.key(),
                change.kind(),
                JsonValues.of(value),
                change.stamp(),
                now));
        tally.completed();
        if (value != null && value > order.lastValues()) {
          keysAtEnd.add(change.key());
        }
      } else if (event instanceof Gap<String, Long> gap) {
        notes.write(
            new GapReceived(
                stream.number(),
                number,
                gap.reason(),
                gap.key().orElse(null),
                gap.after(),
                gap.before(),
                gap.missed().isPresent() ? gap.missed().getAsLong() : null,
                now));
      }
    } catch (IOException e) {
      throw new IllegalStateException("an event cannot be recorded", e);
    }
  }

  /** Saves the position, after the events before it were recorded. */
  private void save(OpenStream stream) throws IOException {
    notes.flush();
    new SavedPosition(stream.number(), number, stream.changes().position())
        .writeTo(Path.of(order.position()));
  }

  private void sendMessage(String kind) {
    out.println(JsonLines.json(tally.say(kind)));
    out.flush();
  }
}
