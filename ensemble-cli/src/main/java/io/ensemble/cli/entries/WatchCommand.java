package io.ensemble.cli.entries;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeStream;
import io.ensemble.EnsembleCache;
import io.ensemble.ListenOptions;
import io.ensemble.PartsChangedException;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.KeysetOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.ValueFormatter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
    name = "watch",
    description = {
      "Print the changes of a cache, a line each, until it is interrupted.",
      "Each chosen write is printed once, in the order of its key. A line 'gap' says where changes "
          + "may be missing, and why. The last line, after Ctrl-C, --events or --idle, is the "
          + "position for --from. With --json, each line is a JSON document."
    })
public final class WatchCommand implements Callable<Integer> {

  private static final ObjectWriter LINES =
      JsonOutput.mapper().writer().without(SerializationFeature.INDENT_OUTPUT);

  private static final Duration POLL = Duration.ofMillis(250);

  /** How long the virtual machine waits for the end of the watch when it is interrupted. */
  private static final Duration FAREWELL = Duration.ofSeconds(5);

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();

  @Option(
      names = "--from",
      paramLabel = "POSITION",
      description = "Position of an earlier watch; default: begin with the next change.")
  @Nullable String from;

  @Option(
      names = "--events",
      paramLabel = "N",
      description = "End after this number of events; default: no limit.")
  long events = Long.MAX_VALUE;

  @Option(
      names = "--idle",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "End when no event has come for this time; default: no limit.")
  @Nullable Duration idle;

  @Option(
      names = "--prefix",
      paramLabel = "TEXT",
      description = "Only keys that are strings and begin with this text.")
  @Nullable String prefix;

  @Option(names = "--keys-only", description = "Print keys and stamps, without values.")
  boolean keysOnly;

  @Parameters(index = "0", paramLabel = "CACHE", description = "Name of the cache.")
  String cache = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEY",
      description = "The only key to watch, a string.")
  @Nullable String key;

  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean isInterrupted;

  @Override
  public Integer call() {
    if (events < 1) {
      throw new ParameterException(
          reporting.spec().commandLine(), "--events must be at least 1; got " + events);
    }
    if (prefix != null && (key != null || prefix.isEmpty())) {
      throw new ParameterException(
          reporting.spec().commandLine(), "--prefix must not be empty, and excludes KEY");
    }
    Thread interruption = new Thread(this::interrupt, "ensemble-watch-down");
    Runtime.getRuntime().addShutdownHook(interruption);
    try (FederationConnection connected = federation.connect(null, keyset, cache)) {
      EnsembleCache<Object, Object> opened = connected.cache(cache);
      try (ChangeStream<Object, Object> stream = listen(opened)) {
        watch(stream);
      }
      return ExitCode.OK;
    } finally {
      ended.countDown();
      if (!isInterrupted) {
        removeHook(interruption);
      }
    }
  }

  /** Ctrl-C, or a request to end: the position is printed, and the listeners are removed. */
  private void interrupt() {
    isInterrupted = true;
    try {
      ended.await(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The virtual machine has just begun to end.
    }
  }

  private ChangeStream<Object, Object> listen(EnsembleCache<Object, Object> opened) {
    try {
      return opened.listen(options());
    } catch (UnsupportedOperationException | IllegalArgumentException refused) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(refused.getMessage()));
    }
  }

  private ListenOptions<Object> options() {
    ListenOptions<Object> selected =
        key == null
            ? prefix == null ? ListenOptions.all() : ListenOptions.ofPrefix(prefix)
            : ListenOptions.ofKeys(Set.of(key));
    ListenOptions<Object> options = keysOnly ? selected.withoutValues() : selected;
    return from == null ? options : options.from(from);
  }

  private void watch(ChangeStream<Object, Object> stream) {
    long left = events;
    long lastNanos = System.nanoTime();
    boolean isRead = true;
    PartsChangedException end = null;
    while (left > 0 && isRead && end == null && !isInterrupted && !isIdle(lastNanos)) {
      Optional<ChangeEvent<Object, Object>> event = Optional.empty();
      try {
        event = stream.next(POLL);
      } catch (PartsChangedException changed) {
        end = changed;
      }
      if (event.isPresent()) {
        print(event.get());
        isRead = !isOutputClosed();
        left--;
        lastNanos = System.nanoTime();
      }
    }
    String position = stream.position();
    String last = reporting.json ? json(new EndReport(position)) : "position " + position;
    if (isRead) {
      printLine(last);
    } else {
      reporting.err().println(last);
    }
    if (end != null) {
      throw end;
    }
  }

  /** Whether the output is closed, such as a pipe to a program that has ended. */
  private boolean isOutputClosed() {
    return reporting.out().checkError() || System.out.checkError(); // The writer has no errors.
  }

  private boolean isIdle(long lastNanos) {
    return idle != null && System.nanoTime() - lastNanos >= idle.toNanos();
  }

  private void print(ChangeEvent<Object, Object> event) {
    printLine(reporting.json ? json(document(event)) : line(event));
  }

  private void printLine(String line) {
    reporting.out().println(line);
    reporting.out().flush();
  }

  private static String json(Object document) {
    try {
      return LINES.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new AssertionError("documents are records of plain values: " + document, e);
    }
  }

  private static Object document(ChangeEvent<Object, Object> event) {
    if (event instanceof Gap<Object, Object> gap) {
      return new GapReport(
          name(gap.reason()),
          gap.key().map(ValueFormatter::text).orElse(null),
          gap.after().toString(),
          gap.before().toString(),
          gap.missed().isPresent() ? gap.missed().getAsLong() : null);
    }
    Change<Object, Object> change = (Change<Object, Object>) event;
    Object value = change.value();
    return new ChangeReport(
        name(change.kind()),
        ValueFormatter.text(change.key()),
        value == null ? null : ValueFormatter.text(value),
        change.stamp().toString());
  }

  private static String line(ChangeEvent<Object, Object> event) {
    if (event instanceof Gap<Object, Object> gap) {
      return "gap %s %s (%s; changes from %s to %s)"
          .formatted(
              name(gap.reason()),
              gap.key().map(ValueFormatter::line).orElse("of all keys"),
              gap.missed().isPresent() ? gap.missed().getAsLong() + " missing" : "number unknown",
              time(gap.after().stamp().micros()),
              time(gap.before().stamp().micros()));
    }
    Change<Object, Object> change = (Change<Object, Object>) event;
    Object value = change.value();
    String head =
        "%s %s %s"
            .formatted(
                time(change.stamp().stamp().micros()),
                name(change.kind()),
                ValueFormatter.line(change.key()));
    return value == null ? head : head + " " + ValueFormatter.line(value);
  }

  private static Instant time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private record ChangeReport(String kind, String key, @Nullable String value, String stamp) {}

  private record GapReport(
      String gap, @Nullable String key, String after, String before, @Nullable Long missed) {}

  private record EndReport(String position) {}
}
