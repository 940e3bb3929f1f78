package io.ensemble.check.process;

/** Work that runs if this process is terminated before the hook is withdrawn. Thread-safe. */
public final class ShutdownHook {

  private final Thread thread;

  private ShutdownHook(Thread thread) {
    this.thread = thread;
  }

  /**
   * Sets the hook.
   *
   * @param name the name of the thread that would run the work
   */
  public static ShutdownHook set(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    Runtime.getRuntime().addShutdownHook(thread);
    return new ShutdownHook(thread);
  }

  /** Withdraws the hook. Returns false if this process is ending; the work then runs. */
  public boolean withdraw() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
      return true;
    } catch (IllegalStateException shuttingDown) {
      return false;
    }
  }
}
