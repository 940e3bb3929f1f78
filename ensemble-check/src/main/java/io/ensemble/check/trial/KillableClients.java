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
 * The client processes of a trial whose calls are on disk before they are made. Any of them may be
 * killed; another one then takes its place. {@link #close} ends them. Thread-safe.
 */
public final class KillableClients implements ClientGroup, AutoCloseable {
  private static final int MOST_LOOKS = 200;

  /** Makes the orders to processes. */
  public interface SpecFactory {
    /** The order to the process of that share, as a record that is JSON. */
    Record specFor(ClientShare share);
  }

  /**
   * The share of one process.
   *
   * @param place the index among the processes that work at the same time
   * @param members the number of these, including this one
   * @param clients the number of clients in the process
   * @param first its client numbers and the values that it writes are above this one, and no other
   *     process uses these
   * @param seed the seed of its choices
   * @param nanosBetween the time from one call to the next, of all its clients together
   * @param operations the maximum number of calls
   * @param history the file for its part of the history
   * @param last whether it only reads the final state of all objects
   */
  public record ClientShare(
      int place,
      int members,
      int clients,
      long first,
      long seed,
      long nanosBetween,
      long operations,
      String history,
      boolean last) {}

  /** One process, and its file. */
  private record Worker(
      int place, ClientProcess process, Path history, CallJournal.JournalReader calls) {}

  private final TrialRequest request;
  private final boolean oneByOne;
  private final SpecFactory specFactory;
  private final Path directory;
  private final ClientLauncher launcher;
  private final SplittableRandom random;
  private final List<Worker> working = new ArrayList<>();
  private final List<Worker> all = new ArrayList<>();
  private ClientMessage formerTotals = ClientMessage.SILENT;
  private boolean isStarted;
  private boolean stopped;

  /**
   * @param oneByOne whether each is started when the one before is ready
   * @param launcher starts them
   */
  public KillableClients(
      TrialRequest request,
      boolean oneByOne,
      SpecFactory specFactory,
      Path directory,
      ClientLauncher launcher) {
    this.request = request;
    this.oneByOne = oneByOne;
    this.specFactory = specFactory;
    this.directory = directory;
    this.launcher = launcher;
    this.random = new SplittableRandom(request.seed());
  }

  /** Starts the processes, and waits until they are ready. */
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
        specFactory.specFor(
            new ClientShare(
                place,
                members,
                clients,
                number * TrialRequest.OPERATIONS_APART,
                random.nextLong(),
                request.duration().toNanos() / share,
                request.mostOperations(share),
                history.toString(),
                last));
    Worker worker =
        new Worker(
            place,
            ClientProcess.start(
                number, launcher, order, directory.resolve("client-" + number + ".log")),
            history,
            new CallJournal.JournalReader(history));
    all.add(worker);
    return worker;
  }

  /** The number of the process of a client. */
  public static long number(long client) {
    return client / TrialRequest.OPERATIONS_APART;
  }

  @Override
  public synchronized void go() {
    isStarted = true;
    working.forEach(worker -> worker.process().go());
  }

  /** The sum of all operations so far, including those of killed processes. */
  @Override
  public synchronized ClientMessage done() {
    return working.stream()
        .map(worker -> worker.process().last())
        .reduce(formerTotals, ClientMessage::and);
  }

  @Override
  public synchronized boolean areAlive() {
    return working.stream().allMatch(worker -> worker.process().isAlive());
  }

  /** Sends a word to all processes. */
  public synchronized void send(String command) {
    working.forEach(worker -> worker.process().sendIfAlive(command));
  }

  /** Sends a word to one process. */
  public void sendToOne(int choice, String command) {
    working(choice).process().sendIfAlive(command);
  }

  /** Pauses one process, until the result is closed. */
  public ProcessResumer stopOne(int choice) {
    long pid = working(choice).process().pid();
    ProcessResumer awakener =
        ProcessResumer.of(pid); // Made in advance: a stopped process cannot even end.
    Signals.stop(pid);
    return awakener;
  }

  /**
   * Kills one process during a call: the process is stopped, and resumed if it is in no call.
   *
   * @param choice selects the process that is examined first
   * @return its index, to be filled
   * @throws IllegalStateException if none was in a call, after many attempts
   */
  int killOne(int choice) throws InterruptedException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Worker victim = working(choice + look);
      try (ProcessResumer awakener = ProcessResumer.of(victim.process().pid())) {
        Signals.stop(victim.process().pid());
        if (hasCallUnderWay(victim)) {
          removeWorker(victim); // Before its death: a dead one must not count as working.
          victim.process().kill();
          return victim.place();
        }
      }
    }
    throw new IllegalStateException("no client process has a call in progress");
  }

  private synchronized Worker working(int number) {
    return working.get(number % working.size());
  }

  private synchronized void removeWorker(Worker worker) {
    working.remove(worker);
    formerTotals = formerTotals.and(worker.process().last());
  }

  private static boolean hasCallUnderWay(Worker worker) {
    try {
      return worker.calls().countOpenCalls() > 0;
    } catch (IOException e) {
      throw new CommandException("cannot read " + worker.history() + ": " + e.getMessage(), e);
    }
  }

  /** Starts another process in the place of a killed one, and waits until it works. */
  void fill(int place) throws InterruptedException {
    Worker worker = started(place, request.processes(), false);
    worker.process().awaitReady();
    synchronized (this) {
      working.add(worker);
      if (stopped) {
        worker.process().stop();
      } else if (isStarted) {
        worker.process().go();
      }
    }
  }

  /** Stops the processes and waits; returns whether all ended in an orderly way. */
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

  /** Kills all processes that have worked; their sessions end as well. */
  public synchronized void end() {
    all.forEach(worker -> worker.process().destroy());
  }

  /**
   * Starts one more process that reads the final state of each object.
   *
   * @param problems receives a line if it could not
   * @return the number of unreferenced entries in the store
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
          "the final read of the objects failed: "
              + (word.trouble() == null ? "see the last log in " + directory : word.trouble()));
    }
    return word.left();
  }

  /** All calls of all processes. A process that was being started at the end has made none. */
  public synchronized List<HistoryOperation> history() {
    List<HistoryOperation> operations = new ArrayList<>();
    all.stream()
        .filter(worker -> worker.process().isBegun())
        .forEach(worker -> operations.addAll(read(worker.history())));
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
    // Their calls are written; the nodes of a cluster would take long to leave it one by one.
    all.forEach(worker -> worker.process().destroy());
    all.forEach(worker -> worker.process().close());
  }
}
