package io.ensemble.check.process;

/** What is done should this process be told to end before it is withdrawn. Thread-safe. */
public final class ShutdownHook {

  private final Thread thread;

  private ShutdownHook(Thread thread) {
    this.thread = thread;
  }

  /**
   * Sets it.
   *
   * @param name of the thread that would do it
   */
  public static ShutdownHook set(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    Runtime.getRuntime().addShutdownHook(thread);
    return new ShutdownHook(thread);
  }

  /** Takes it back. False if this process is ending: then it does its work. */
  public boolean withdraw() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
      return true;
    } catch (IllegalStateException shuttingDown) {
      return false;
    }
  }
}
