package io.ensemble.check.listeners;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.ClientProcess;
import io.ensemble.check.trial.TrialRequest;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.NoteFile;
import io.ensemble.testkit.process.child.ProcessResumer;
import io.ensemble.testkit.process.child.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The listeners of one run, each in a process of its own. A process may be killed; another one then
 * resumes from the saved position. {@link #close} ends them. Thread-safe.
 */
public final class ListenerProcesses implements AutoCloseable {
  private final CheckEnvironment checkEnvironment;
  private final int keys;
  private final long lastValues;
  private final ClientLauncher launcher;

  /** The present process of each listener. */
  private final List<ClientProcess> working = new ArrayList<>();

  private final List<ClientProcess> all = new ArrayList<>();
  private final List<Path> files = new ArrayList<>();

  private ListenerProcesses(
      CheckEnvironment checkEnvironment, int keys, long lastValues, ClientLauncher launcher) {
    this.checkEnvironment = checkEnvironment;
    this.keys = keys;
    this.lastValues = lastValues;
    this.launcher = launcher;
  }

  /**
   * Starts the processes and waits until their streams are open.
   *
   * @param listeners how many
   * @param keys the number of keys
   * @param lastValues the values above this one are the last ones, one for each key
   */
  public static ListenerProcesses start(
      CheckEnvironment checkEnvironment, int listeners, int keys, long lastValues)
      throws InterruptedException {
    ListenerProcesses started =
        new ListenerProcesses(
            checkEnvironment, keys, lastValues, ClientLauncher.ofProgram(ListenerProgram.class));
    try {
      for (int i = 0; i < listeners; i++) {
        started.working.add(started.started(i, false));
      }
      for (ClientProcess process : started.all) {
        process.awaitReady();
      }
      return started;
    } catch (InterruptedException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /** The number of listeners. */
  int size() {
    return working.size();
  }

  private synchronized ClientProcess started(int listener, boolean isResumed) {
    int process = all.size();
    Path directory = checkEnvironment.directory();
    Path notes = directory.resolve("listener-" + process + ".jsonl");
    List<SiteDescriptor> sites = checkEnvironment.sites().places();
    ListenerSpec order =
        new ListenerSpec(
            sites,
            checkEnvironment.catalog(),
            checkEnvironment.cache(),
            sites.get(listener % sites.size()).name(),
            listener,
            process * TrialRequest.OPERATIONS_APART,
            lastValues,
            keys,
            notes.toString(),
            directory.resolve("position-" + listener + ".json").toString(),
            isResumed);
    ClientProcess started =
        ClientProcess.start(
            process, launcher, order, directory.resolve("listener-" + process + ".log"));
    all.add(started);
    files.add(notes);
    return started;
  }

  private synchronized ClientProcess working(int listener) {
    return working.get(listener);
  }

  /** Kills a listener's process, as {@code kill -9}. */
  void kill(int listener) throws InterruptedException {
    working(listener).kill();
  }

  /** Starts another process for a killed listener, and waits until its stream is open. */
  void resume(int listener) throws InterruptedException {
    ClientProcess next = started(listener, true);
    next.awaitReady();
    synchronized (this) {
      working.set(listener, next);
    }
  }

  /** Stops a listener's process, until the result is closed. */
  ProcessResumer pause(int listener) {
    long pid = working(listener).pid();
    ProcessResumer resumer = ProcessResumer.of(pid); // A stopped process cannot even end.
    Signals.stop(pid);
    return resumer;
  }

  /** Makes a listener close its stream, and open another one from its position. */
  void reopen(int listener) {
    working(listener).sendIfAlive(ListenerProgram.REOPEN);
  }

  /**
   * Lets the listeners receive the last values, and waits for that.
   *
   * @return what went wrong, in words
   */
  public List<String> stop() throws InterruptedException {
    List<ClientProcess> last;
    synchronized (this) {
      last = List.copyOf(working);
    }
    last.forEach(ClientProcess::stop);
    List<String> problems = new ArrayList<>();
    for (int listener = 0; listener < last.size(); listener++) {
      boolean isOrderly = last.get(listener).awaitEnd();
      ClientMessage message = last.get(listener).last();
      if (!isOrderly || message.broken() > 0) {
        problems.add(
            "listener %d did not end normally: %s"
                .formatted(
                    listener,
                    message.trouble() == null
                        ? "see its log in " + checkEnvironment.directory()
                        : message.trouble()));
      }
    }
    return problems;
  }

  /** What all processes have recorded. A process that was being started may have no file. */
  public synchronized List<HistoryNote> notes() {
    List<HistoryNote> notes = new ArrayList<>();
    for (Path file : files) {
      try {
        if (Files.exists(file)) {
          notes.addAll(NoteFile.read(file));
        }
      } catch (IOException e) {
        throw new CommandException("cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    return notes;
  }

  @Override
  public synchronized void close() {
    all.forEach(ClientProcess::close);
  }
}
