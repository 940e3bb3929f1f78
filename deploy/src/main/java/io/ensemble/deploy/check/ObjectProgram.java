package io.ensemble.deploy.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.deploy.Output;
import io.ensemble.deploy.check.objects.ObjectUse;
import io.ensemble.deploy.check.objects.OpenObjects;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.course.Layout;
import io.ensemble.objects.store.ObjectStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The program of a client process of atomic objects. It reads its {@link ObjectOrder}, opens the
 * objects, says that it is ready, works from {@code go} to {@code stop}, says what it has done, and
 * keeps the objects open until its standard input ends. Between {@code spoil} and {@code heal} it
 * hears of changes badly. It may be killed at any moment: what it has called is on disk.
 */
public final class ObjectProgram {
  static final String GO = "go";
  static final String STOP = "stop";
  static final String SPOIL = "spoil";
  static final String HEAL = "heal";

  private static final long PROGRESS_MILLIS = 300;
  private static final Duration LONGEST_END = Duration.ofMinutes(2);
  private static final Duration LONGEST_OPENING = Duration.ofSeconds(45);
  private static final int INLINE_BYTES_STORED = 16;
  private static final int TAIL_BYTES_STORED = 600;

  private final ObjectOrder order;
  private final SpoiltHints hints;
  private final CallJournal journal;
  private final PrintStream out;
  private final ClientTally tally = new ClientTally();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicLong next = new AtomicLong();

  private ObjectProgram(
      ObjectOrder order, SpoiltHints hints, CallJournal journal, PrintStream out) {
    this.order = order;
    this.hints = hints;
    this.journal = journal;
    this.out = out;
  }

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    run(System.in, System.out, store -> store);
    System.exit(0);
  }

  /**
   * Runs it.
   *
   * @param seenAs what stands between the objects and their store
   */
  static void run(InputStream in, PrintStream out, UnaryOperator<ObjectStore> seenAs)
      throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    ObjectOrder order = Output.mapper().readValue(lines.readLine(), ObjectOrder.class);
    try (OpenStore opened = OpenStore.of(order);
        CallJournal journal = CallJournal.to(Path.of(order.history()), order.firstClient())) {
      SpoiltHints hints = new SpoiltHints(seenAs.apply(opened.store()), order.seed());
      try (AtomicObjectFactory factory =
          AtomicObjectFactory.builder(hints)
              .layout(
                  order.stored()
                      ? Layout.DEFAULT.inlineBytes(INLINE_BYTES_STORED).tailBytes(TAIL_BYTES_STORED)
                      : Layout.DEFAULT)
              .timeout(Duration.ofMillis(order.deadlineMillis()))
              .build()) {
        new ObjectProgram(order, hints, journal, out).work(lines, order.kind().on(factory));
      }
    }
  }

  private void work(BufferedReader orders, OpenObjects open)
      throws IOException, InterruptedException {
    List<String> names = IntStream.range(0, order.objects()).mapToObj(order::object).toList();
    List<Supplier<ObjectUse>> objects = new ArrayList<>();
    for (String name : names) {
      objects.add(opened(open, name));
    }
    say(ClientWord.READY);
    if (!GO.equals(orders.readLine())) {
      return;
    }
    Thread ears = new Thread(() -> hear(orders), "check-ears");
    ears.setDaemon(true);
    ears.start();
    List<Thread> clients = started(names, objects);
    while (!stopping.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
      say(ClientWord.PROGRESS);
    }
    for (Thread client : clients) {
      client.join(LONGEST_END.toMillis());
    }
    end(open);
    journal.close();
    say(ClientWord.ENDED);
    ears.join();
  }

  private void end(OpenObjects open) {
    if (!order.last()) {
      open.finish();
      return;
    }
    try {
      tally.left(open.leftBehind().size());
    } catch (RuntimeException e) {
      tally.broken("what is left in the store could not be seen: " + e);
    }
  }

  /** The site may be out of reach just now. */
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
      stopping.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private List<Thread> started(List<String> names, List<Supplier<ObjectUse>> objects) {
    long begin = System.nanoTime();
    SplittableRandom random = new SplittableRandom(order.seed());
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < order.clients(); i++) {
      SplittableRandom own = random.split();
      ObjectSession session =
          new ObjectSession(names, objects.stream().map(Supplier::get).toList(), journal, tally);
      Thread client = new Thread(() -> client(session, own, begin), "check-client-" + i);
      client.setDaemon(true);
      client.start();
      clients.add(client);
    }
    return clients;
  }

  private void client(ObjectSession session, SplittableRandom random, long begin) {
    try {
      if (order.last()) {
        session.last();
        return;
      }
      work(session, random, begin);
      session.leave(random);
    } catch (InterruptedException | RuntimeException e) {
      tally.broken("a client ended: " + e);
    }
  }

  private void work(ObjectSession session, SplittableRandom random, long begin)
      throws InterruptedException {
    for (long i = next.getAndIncrement(); i < order.operations(); i = next.getAndIncrement()) {
      long due = begin + i * order.nanosBetween();
      if (stopping.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return;
      }
      session.any(random, order.firstValue() + i + 1);
    }
  }

  /** Until the end of who started us. */
  private void hear(BufferedReader orders) {
    try {
      for (String word = orders.readLine(); word != null; word = orders.readLine()) {
        switch (word) {
          case SPOIL -> hints.spoil(true);
          case HEAL -> hints.spoil(false);
          default -> stopping.countDown();
        }
      }
    } catch (IOException e) {
      // As good as the end.
    }
    stopping.countDown();
  }

  private void say(String word) {
    out.println(Lines.json(tally.say(word)));
    out.flush();
  }
}
