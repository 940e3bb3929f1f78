package io.ensemble.cli.demo.objects;

import io.ensemble.check.process.ChildProcess;
import io.ensemble.check.process.CommandException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** A worker process, and its output. {@link #close} ends it. */
final class DemoWorker implements AutoCloseable {

  final String name;
  private final ChildProcess child;
  private final Thread outputReader;

  private DemoWorker(String name, ChildProcess child, BiConsumer<DemoWorker, String> listener) {
    this.name = name;
    this.child = child;
    this.outputReader =
        child.startReader(
            new ChildProcess.Listener() {
              @Override
              public void onLine(String line) {
                listener.accept(DemoWorker.this, line);
              }

              @Override
              public void onEnd() {
                listener.accept(DemoWorker.this, "gone");
              }
            });
  }

  /**
   * @param listener receives each line that it prints, on a thread of its own
   */
  static DemoWorker start(String name, String endpoints, BiConsumer<DemoWorker, String> listener) {
    try {
      return new DemoWorker(
          name,
          ChildProcess.start(
              "demo-" + name,
              ChildProcess.small(WorkerProgram.class.getName())
                  .process(endpoints)
                  .redirectError(ProcessBuilder.Redirect.DISCARD)),
          listener);
    } catch (IOException e) {
      throw new CommandException("cannot start a process: " + e.getMessage(), e);
    }
  }

  /** Kills it by SIGKILL, which it cannot handle. */
  void kill() {
    child.process().destroyForcibly();
  }

  long pid() {
    return child.process().pid();
  }

  @Override
  public void close() {
    child.close();
    try {
      child.process().waitFor(10, TimeUnit.SECONDS);
      outputReader.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
