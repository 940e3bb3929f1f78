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
  private final Thread ears;

  private DemoWorker(String name, ChildProcess child, BiConsumer<DemoWorker, String> heard) {
    this.name = name;
    this.child = child;
    this.ears =
        child.startReader(
            new ChildProcess.Listener() {
              @Override
              public void onLine(String line) {
                heard.accept(DemoWorker.this, line);
              }

              @Override
              public void onEnd() {
                heard.accept(DemoWorker.this, "gone");
              }
            });
  }

  /**
   * @param heard receives each line that it prints, on a thread of its own
   */
  static DemoWorker start(String name, String endpoints, BiConsumer<DemoWorker, String> heard) {
    try {
      return new DemoWorker(
          name,
          ChildProcess.start(
              "demo-" + name,
              ChildProcess.small(WorkerProgram.class.getName())
                  .process(endpoints)
                  .redirectError(ProcessBuilder.Redirect.DISCARD)),
          heard);
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
      ears.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
