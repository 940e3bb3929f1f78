package io.ensemble.testkit.process.child;

/**
 * The main of a program that another process has started and listens to: it ends when its work
 * does, whatever threads libraries have left.
 */
public final class ChildProgram {

  /** What it is for. */
  public interface Work {
    void run() throws Exception;
  }

  private ChildProgram() {}

  /**
   * Does it, and ends this process: with status 0, or with 1 and the failure on the standard error,
   * where its starter keeps a log. Loggers may be silent.
   */
  public static void run(Work work) {
    int status = 0;
    try {
      work.run();
    } catch (Throwable e) {
      e.printStackTrace();
      status = 1;
    }
    System.exit(status);
  }
}
