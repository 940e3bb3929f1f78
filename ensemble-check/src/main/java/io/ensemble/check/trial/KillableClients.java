package io.ensemble.check.trial;

import io.ensemble.check.process.CommandException;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.process.child.ProcessResumer;
import io.ensemble.testkit.process.child.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The client processes of a trial whose calls are on disk before they are made: any of them may be
 * killed, after which another takes its place. Closing it ends them. Thread-safe.
 */
public final class KillableClients implements ClientGroup, AutoCloseable {
  /** Clients and values of different processes never meet: none does more operations than that. */
  private static final long APART = 100_000_000;

  private static final int MOST_TIMES_ITS_SHARE = 4;
  private static final int MOST_LOOKS = 200;

  /** Says what a process is told to do. */
  public interface Orders {
    /** The order to the process of that share, as a record that is JSON. */
    Record of(Share share);
  }

  /**
   * What is a process's own.
   *
   * @param place which of the processes that work at the same time
   * @param members how many of these there are when it has come
   * @param clients how many clients it is
   * @param first above this are the numbers of its clients and the values that it writes, and
   *     nobody else's
   * @param seed of its choices
   * @param nanosBetween how long from one call to the next, of all its clients together
   * @param operations how many calls it makes at most
   * @param history the file for its part of the history
   * @param last whether it only looks at what has become of everything
   */
  public record Share(
      int place,
      int members,
      int clients,
      long first,
      long seed,
      long nanosBetween,
      long operations,
      String history,
      boolean last) {}

  /** One process, and where it writes. */
  private record Worker(int place, ClientProcess process, Path history, CallJournal.Tail calls) {}

  private final TrialRequest request;
  private final boolean oneByOne;
  private final Orders orders;
  private final Path directory;
  private final ClientLauncher launcher;
  private final SplittableRandom random;
  private final List<Worker> working = new ArrayList<>();
  private final List<Worker> all = new ArrayList<>();
  private ClientMessage former = ClientMessage.SILENT;
  private boolean going;
  private boolean stopped;

  /**
   * @param oneByOne whether one is started when the last is ready
   * @param launcher starts them
   */
  public KillableClients(
      TrialRequest request,
      boolean oneByOne,
      Orders orders,
      Path directory,
      ClientLauncher launcher) {
    this.request = request;
    this.oneByOne = oneByOne;
    this.orders = orders;
    this.directory = directory;
    this.launcher = launcher;
    this.random = new SplittableRandom(request.seed());
  }

  /** Starts them, and waits until they are ready. */
  public void start() throws InterruptedException {
    List<Worker> started = new ArrayList<>();
    for (int place = 0; place < request.processes(); place++) {
      Worker worker = started(place, place + 1, false);
      started.add(worker);
      if (oneByOne) {
        worker.process().awaitReady();
      }
    }
    for (Worker worker : started) {
      worker.process().awaitReady();
    }
    synchronized (this) {
      working.addAll(started);
    }
  }

  private synchronized Worker started(int place, int members, boolean last) {
    int number = all.size();
    Path history = directory.resolve("client-" + number + ".jsonl");
    int clients =
        last
            ? 1
            : request.clients() / request.processes()
                + (place < request.clients() % request.processes() ? 1 : 0);
    long share = Math.max(1, (long) request.operations() * clients / request.clients());
    Record order =
        orders.of(
            new Share(
                place,
                members,
                clients,
                number * APART,
                random.nextLong(),
                request.duration().toNanos() / share,
                share * MOST_TIMES_ITS_SHARE,
                history.toString(),
                last));
    Worker worker =
        new Worker(
            place,
            ClientProcess.start(
                number, launcher, order, directory.resolve("client-" + number + ".log")),
            history,
            new CallJournal.Tail(history));
    all.add(worker);
    return worker;
  }

  /** Which process has a client. */
  public static long number(long client) {
    return client / APART;
  }

  @Override
  public synchronized void go() {
    going = true;
    working.forEach(worker -> worker.process().go());
  }

  /** What all have done so far, those too that were killed. */
  @Override
  public synchronized ClientMessage done() {
    return working.stream()
        .map(worker -> worker.process().last())
        .reduce(former, ClientMessage::and);
  }

  @Override
  public synchronized boolean areAlive() {
    return working.stream().allMatch(worker -> worker.process().isAlive());
  }

  /** Tells all of them. */
  public synchronized void tell(String word) {
    working.forEach(worker -> worker.process().tellIfThere(word));
  }

  /** Tells one of them. */
  public void tellOne(int choice, String word) {
    working(choice).process().tellIfThere(word);
  }

  /** Stops one where it stands, until what it gives is closed. */
  public ProcessResumer stopOne(int choice) {
    long pid = working(choice).process().pid();
    ProcessResumer awakener =
        ProcessResumer.of(pid); // Before it is needed: the stopped cannot even end.
    Signals.stop(pid);
    return awakener;
  }

  /**
   * Kills one in the middle of a call: it is stopped where it stands, and goes on if it is in none.
   *
   * @param choice says which is looked at first
   * @return its place, to be filled
   * @throws IllegalStateException if none was in a call, of many looks
   */
  int killOne(int choice) throws InterruptedException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Worker victim = working(choice + look);
      try (ProcessResumer awakener = ProcessResumer.of(victim.process().pid())) {
        Signals.stop(victim.process().pid());
        if (hasCallUnderWay(victim)) {
          leave(victim); // Before it is dead: none of those that work may be.
          victim.process().kill();
          return victim.place();
        }
      }
    }
    throw new IllegalStateException("no client process was found in a call");
  }

  private synchronized Worker working(int number) {
    return working.get(number % working.size());
  }

  private synchronized void leave(Worker worker) {
    working.remove(worker);
    former = former.and(worker.process().last());
  }

  private static boolean hasCallUnderWay(Worker worker) {
    try {
      return worker.calls().underWay() > 0;
    } catch (IOException e) {
      throw new CommandException("cannot read " + worker.history() + ": " + e.getMessage(), e);
    }
  }

  /** Starts another in the place of one that was killed, and waits until it works. */
  void fill(int place) throws InterruptedException {
    Worker worker = started(place, request.processes(), false);
    worker.process().awaitReady();
    synchronized (this) {
      working.add(worker);
      if (stopped) {
        worker.process().stop();
      } else if (going) {
        worker.process().go();
      }
    }
  }

  /** Stops them and waits; whether all ended in order. */
  public boolean stop() throws InterruptedException {
    List<Worker> left;
    synchronized (this) {
      stopped = true;
      left = List.copyOf(working);
    }
    left.forEach(worker -> worker.process().stop());
    boolean orderly = true;
    for (Worker worker : left) {
      orderly &= worker.process().awaitEnd();
    }
    return orderly;
  }

  /** Kills all that have worked: nothing more is heard of them, nor of their sessions. */
  public synchronized void end() {
    all.forEach(worker -> worker.process().destroy());
  }

  /**
   * Has one more process look at what has become of each object.
   *
   * @param problems where it is said if it could not
   * @return how many entries are in the store that nothing refers to
   */
  public long last(List<String> problems) throws InterruptedException {
    Worker worker = started(request.processes(), request.processes() + 1, true);
    worker.process().awaitReady();
    worker.process().go();
    worker.process().stop();
    boolean orderly = worker.process().awaitEnd();
    ClientMessage word = worker.process().last();
    if (!orderly || word.done() != word.completed()) {
      problems.add(
          "a last look at the objects failed: "
              + (word.trouble() == null ? "see the last log in " + directory : word.trouble()));
    }
    return word.left();
  }

  /** All that any of them has called. */
  public synchronized List<HistoryOperation> history() {
    List<HistoryOperation> operations = new ArrayList<>();
    all.forEach(worker -> operations.addAll(read(worker.history())));
    return operations;
  }

  private static List<HistoryOperation> read(Path file) {
    try {
      return List.copyOf(CallJournal.read(file));
    } catch (IOException e) {
      throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void close() {
    // What they have called is written; nodes of a cluster would take long to leave each other.
    all.forEach(worker -> worker.process().destroy());
    all.forEach(worker -> worker.process().close());
  }
}
