package io.ensemble.check.trial;

import io.ensemble.check.process.JsonLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The clients of one process. It reports that it is ready, and lets them work from {@code go} to
 * {@code stop}, each on a thread of its own and all at one pace. It reports their progress, and
 * ends when its standard input does.
 */
public final class PacedClients {
  static final String GO = "go";

  private static final long PROGRESS_MILLIS = 300;
  private static final Duration LONGEST_END = Duration.ofMinutes(2);

  /**
   * The settings of the starter.
   *
   * @param clients the number of clients
   * @param seed the seed of their choices
   * @param firstValue they write values above this one
   * @param nanosBetween the time from one call to the next, of all together
   * @param operations the maximum number of calls
   */
  public record PaceSettings(
      int clients, long seed, long firstValue, long nanosBetween, long operations) {}

  /** One client. */
  public interface Client {
    /** Works until there is no further step. */
    void work(CallSchedule steps, SplittableRandom random) throws InterruptedException;
  }

  /** Tells a client when to make its next call. */
  public interface CallSchedule {
    /**
     * Waits for the time of the next call; returns a value that was never written, or 0 when the
     * client is to end.
     */
    long next() throws InterruptedException;
  }

  private final PaceSettings pace;
  private final ClientOutcomeCounts tally;
  private final PrintStream out;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicLong next = new AtomicLong();

  public PacedClients(PaceSettings pace, ClientOutcomeCounts tally, PrintStream out) {
    this.pace = pace;
    this.tally = tally;
    this.out = out;
  }

  /** Waits a moment, or until the client is to end. */
  public boolean pause() throws InterruptedException {
    return stopping.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs the clients.
   *
   * @param orders the standard input
   * @param client makes a client
   * @param onCommand receives the other words of the starter
   * @param journal is closed before the end of all is reported
   * @param end runs before that
   */
  public void run(
      BufferedReader orders,
      Supplier<Client> client,
      Consumer<String> onCommand,
      CallJournal journal,
      Runnable end)
      throws IOException, InterruptedException {
    sendMessage(ClientMessage.READY);
    if (!GO.equals(orders.readLine())) {
      return;
    }
    Thread reader = new Thread(() -> readCommands(orders, onCommand), "check-ears");
    reader.setDaemon(true);
    reader.start();
    List<Thread> clients = started(client);
    while (!pause()) {
      sendMessage(ClientMessage.PROGRESS);
    }
    for (Thread one : clients) {
      one.join(LONGEST_END.toMillis());
    }
    end.run();
    journal.close();
    sendMessage(ClientMessage.ENDED);
    reader.join();
  }

  private List<Thread> started(Supplier<Client> made) {
    long begin = System.nanoTime();
    SplittableRandom random = new SplittableRandom(pace.seed());
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < pace.clients(); i++) {
      SplittableRandom own = random.split();
      Client one = made.get();
      Thread client = new Thread(() -> work(one, own, begin), "check-client-" + i);
      client.setDaemon(true);
      client.start();
      clients.add(client);
    }
    return clients;
  }

  private void work(Client client, SplittableRandom random, long begin) {
    try {
      client.work(() -> step(begin), random);
    } catch (InterruptedException | RuntimeException e) {
      tally.broken("a client stopped: " + e);
    }
  }

  private long step(long begin) throws InterruptedException {
    long number = next.getAndIncrement();
    if (number >= pace.operations()) {
      return 0;
    }
    long due = begin + number * pace.nanosBetween();
    boolean hasEnded = stopping.await(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    return hasEnded ? 0 : pace.firstValue() + number + 1;
  }

  /** Reads until the end of the starter. */
  private void readCommands(BufferedReader orders, Consumer<String> onCommand) {
    try {
      for (String command = orders.readLine(); command != null; command = orders.readLine()) {
        if (command.equals(ClientProcess.STOP)) {
          stopping.countDown();
        } else {
          onCommand.accept(command);
        }
      }
    } catch (IOException e) {
      // Equivalent to the end of the input.
    }
    stopping.countDown();
  }

  private void sendMessage(String kind) {
    out.println(JsonLines.json(tally.say(kind)));
    out.flush();
  }
}
