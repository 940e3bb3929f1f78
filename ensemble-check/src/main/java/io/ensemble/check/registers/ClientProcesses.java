package io.ensemble.check.registers;

import io.ensemble.Mode;
import io.ensemble.check.faults.WriterRotation;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientGroup;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.ClientProcess;
import io.ensemble.check.trial.TrialRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The client processes of one run. {@link #close} ends them. */
public final class ClientProcesses implements ClientGroup, AutoCloseable {
  private final List<ClientProcess> processes = new ArrayList<>();
  private final List<Path> parts = new ArrayList<>();
  private final List<Path> windows = new ArrayList<>();
  private final List<Path> stamps = new ArrayList<>();

  /** Starts the processes and waits until they are ready. */
  static ClientProcesses start(
      CheckRequest request, CheckEnvironment checkEnvironment, ClientLauncher launcher)
      throws InterruptedException {
    ClientProcesses workers = new ClientProcesses();
    try {
      SplittableRandom random = new SplittableRandom(request.seed());
      for (int i = 0; i < request.processes(); i++) {
        Path part = checkEnvironment.directory().resolve("client-" + i + ".jsonl");
        workers.parts.add(part);
        Path window = checkEnvironment.directory().resolve("window-" + i + ".jsonl");
        if (request.isBounded()) {
          workers.windows.add(window);
        }
        Path stamps = checkEnvironment.directory().resolve("stamps-" + i + ".jsonl");
        if (request.isListening()) {
          workers.stamps.add(stamps);
        }
        ClientSpec order =
            order(request, i, checkEnvironment, part, window, stamps, random.nextLong());
        workers.processes.add(
            ClientProcess.start(
                i, launcher, order, checkEnvironment.directory().resolve("client-" + i + ".log")));
      }
      for (ClientProcess process : workers.processes) {
        process.awaitReady();
      }
      return workers;
    } catch (InterruptedException | RuntimeException e) {
      workers.close();
      throw e;
    }
  }

  private static ClientSpec order(
      CheckRequest request,
      int number,
      CheckEnvironment checkEnvironment,
      Path part,
      Path window,
      Path stamps,
      long seed) {
    int share = share(request.clients(), request.processes(), number);
    long operations = Math.max(1, (long) request.operations() * share / request.clients());
    List<SiteDescriptor> sites = checkEnvironment.sites().places();
    return new ClientSpec(
        sites,
        checkEnvironment.catalog(),
        checkEnvironment.cache(),
        sites.get(number % sites.size()).name(),
        share,
        firstClient(number),
        (number + 1) * TrialRequest.OPERATIONS_APART,
        request.keys(),
        seed,
        request.duration().toNanos() / operations,
        request.mostOperations(operations),
        request.deadline().toMillis(),
        part.toString(),
        request.mode() == Mode.SWMR
            ? new WriterRotation(number, request.processes(), WriterRotation.TURN_MILLIS)
            : null,
        request.isBounded() ? window.toString() : null,
        request.staleness() == null ? 0 : request.staleness().toNanos(),
        request.isListening() ? stamps.toString() : null);
  }

  private static int share(int clients, int processes, int number) {
    return clients / processes + (number < clients % processes ? 1 : 0);
  }

  /** The number of the first client of a process; also defined for the process after the last. */
  static long firstClient(int process) {
    return process * TrialRequest.OPERATIONS_APART;
  }

  /** The process of a client. */
  public static int process(long client) {
    return Math.toIntExact(client / TrialRequest.OPERATIONS_APART);
  }

  @Override
  public void go() {
    processes.forEach(ClientProcess::go);
  }

  @Override
  public ClientMessage done() {
    return processes.stream()
        .map(ClientProcess::last)
        .reduce(ClientMessage.SILENT, ClientMessage::and);
  }

  /** The id of a process. */
  long pid(int process) {
    return processes.get(process).pid();
  }

  @Override
  public boolean areAlive() {
    return processes.stream().allMatch(ClientProcess::isAlive);
  }

  /** Stops them and waits; returns whether all ended in an orderly way. */
  boolean stop() throws InterruptedException {
    processes.forEach(ClientProcess::stop);
    boolean orderly = true;
    for (ClientProcess process : processes) {
      orderly &= process.awaitEnd();
    }
    return orderly;
  }

  /** Their parts of the history. */
  List<Path> parts() {
    return List.copyOf(parts);
  }

  /** Their notes if the primary alone acknowledges; complete when they are closed. */
  List<Path> windows() {
    return List.copyOf(windows);
  }

  /** The stamps of acknowledged writes, if there are listeners; complete when they are stopped. */
  List<Path> stamps() {
    return List.copyOf(stamps);
  }

  @Override
  public void close() {
    processes.forEach(ClientProcess::close);
  }
}
