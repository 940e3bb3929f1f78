package io.ensemble.check.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.PacedClients;
import io.ensemble.check.workload.ObjectUse;
import io.ensemble.check.workload.OpenObjects;
import io.ensemble.check.workload.RegisterKind;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.registers.RegisterObjects;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The program of a client process of atomic objects. It reads its {@link ObjectClientSpec}, opens
 * the objects, and reports that it is ready. It works from {@code go} to {@code stop}, reports its
 * calls, and keeps the objects open until its standard input ends. Between {@code spoil} and {@code
 * heal} it receives faulty change events. It may be killed at any moment: its calls are on disk.
 */
public final class ObjectProgram {
  static final String SPOIL = "spoil";
  static final String HEAL = "heal";

  private static final Duration LONGEST_OPENING = Duration.ofSeconds(45);
  private static final int INLINE_BYTES_STORED = 16;
  private static final int TAIL_BYTES_STORED = 600;

  private final ObjectClientSpec order;
  private final @Nullable UnreliableEventStore unreliableEvents;
  private final CallJournal journal;
  private final ClientOutcomeCounts tally = new ClientOutcomeCounts();
  private final PacedClients clients;

  private ObjectProgram(
      ObjectClientSpec order,
      @Nullable UnreliableEventStore hints,
      CallJournal journal,
      PrintStream out) {
    this.order = order;
    this.unreliableEvents = hints;
    this.journal = journal;
    this.clients =
        new PacedClients(
            new PacedClients.PaceSettings(
                order.clients(),
                order.seed(),
                order.firstValue(),
                order.nanosBetween(),
                order.operations()),
            tally,
            out);
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    run(System.in, System.out, store -> store);
    System.exit(0);
  }

  /**
   * Runs the program.
   *
   * @param seenAs wraps the store of the objects
   */
  static void run(InputStream in, PrintStream out, UnaryOperator<ObjectStore> seenAs)
      throws Exception {
    run(in, out, seenAs, cache -> cache);
  }

  /**
   * Runs the program.
   *
   * @param seenAs wraps the store of the objects
   * @param registersSeenAs wraps the cache of objects from registers
   */
  static void run(
      InputStream in,
      PrintStream out,
      UnaryOperator<ObjectStore> seenAs,
      UnaryOperator<EnsembleCache<String, byte[]>> registersSeenAs)
      throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    ObjectClientSpec order =
        JsonOutput.mapper().readValue(lines.readLine(), ObjectClientSpec.class);
    if (order.kind() instanceof RegisterKind kind) {
      runRegisters(lines, out, order, kind, registersSeenAs);
    } else {
      runAtomicObjects(lines, out, order, seenAs);
    }
  }

  private static void runRegisters(
      BufferedReader lines,
      PrintStream out,
      ObjectClientSpec order,
      RegisterKind kind,
      UnaryOperator<EnsembleCache<String, byte[]>> seenAs)
      throws Exception {
    try (EnsembleCacheManager manager = ObjectStoreConnection.manager(order);
        CallJournal journal = CallJournal.to(Path.of(order.history()), order.firstClient());
        RegisterObjects objects =
            RegisterObjects.in(
                seenAs.apply(
                    ObjectStoreConnection.cache(manager, order)
                        .withDeadline(Duration.ofMillis(order.deadlineMillis()))))) {
      new ObjectProgram(order, null, journal, out).work(lines, kind.in(objects));
    }
  }

  private static void runAtomicObjects(
      BufferedReader lines,
      PrintStream out,
      ObjectClientSpec order,
      UnaryOperator<ObjectStore> seenAs)
      throws Exception {
    try (ObjectStoreConnection opened = ObjectStoreConnection.of(order);
        CallJournal journal = CallJournal.to(Path.of(order.history()), order.firstClient())) {
      UnreliableEventStore hints =
          new UnreliableEventStore(seenAs.apply(opened.store()), order.seed());
      try (AtomicObjectFactory factory =
          AtomicObjectFactory.builder(hints)
              .layout(
                  order.stored()
                      ? ProtocolSettings.DEFAULT
                          .inlineBytes(INLINE_BYTES_STORED)
                          .tailBytes(TAIL_BYTES_STORED)
                      : ProtocolSettings.DEFAULT)
              .timeout(Duration.ofMillis(order.deadlineMillis()))
              .build()) {
        new ObjectProgram(order, hints, journal, out).work(lines, order.kind().on(factory));
      }
    }
  }

  private void work(BufferedReader orders, OpenObjects open)
      throws IOException, InterruptedException {
    List<String> names =
        IntStream.range(0, order.objects())
            .mapToObj(number -> ObjectClientSpec.object(order.kind(), number))
            .toList();
    List<Supplier<ObjectUse>> objects = new ArrayList<>();
    for (String name : names) {
      objects.add(opened(open, name));
    }
    clients.run(
        orders, () -> client(names, objects), this::executeCommand, journal, () -> end(open));
  }

  private void end(OpenObjects open) {
    if (!order.last()) {
      open.finish();
      return;
    }
    try {
      tally.left(open.leftBehind().size());
    } catch (RuntimeException e) {
      tally.broken("the remaining entries of the store cannot be listed: " + e);
    }
  }

  /** The site may be unreachable now. */
  private Supplier<ObjectUse> opened(OpenObjects open, String name) throws InterruptedException {
    long begin = System.nanoTime();
    while (true) {
      try {
        return open.open(name);
      } catch (RuntimeException notNow) {
        if (System.nanoTime() - begin > LONGEST_OPENING.toNanos()) {
          throw notNow;
        }
      }
      clients.pause();
    }
  }

  private PacedClients.Client client(List<String> names, List<Supplier<ObjectUse>> objects) {
    ObjectSession session =
        new ObjectSession(names, objects.stream().map(Supplier::get).toList(), journal, tally);
    if (order.last()) {
      return (steps, random) -> session.readFinalStates();
    }
    return (steps, random) -> {
      for (long fresh = steps.next(); fresh != 0; fresh = steps.next()) {
        session.callAny(random, fresh);
      }
      session.releaseGrants(random);
    };
  }

  private void executeCommand(String command) {
    UnreliableEventStore events =
        Objects.requireNonNull(unreliableEvents, "objects from registers use no events");
    switch (command) {
      case SPOIL -> events.setFaulty(true);
      case HEAL -> events.setFaulty(false);
      default ->
          throw new IllegalArgumentException("unknown command for a client process: " + command);
    }
  }
}
