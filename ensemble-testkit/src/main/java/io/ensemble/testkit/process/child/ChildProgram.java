package io.ensemble.testkit.process.child;

/**
 * The main of a program that another process has started and reads from. The program ends when its
 * work does, even if threads of libraries still run.
 */
public final class ChildProgram {

  /** The work of the program. */
  public interface ProgramBody {
    void run() throws Exception;
  }

  private ChildProgram() {}

  /**
   * Runs the work, and ends this process with status 0. If the work fails, the status is 1 and the
   * failure goes to the standard error, which the starter logs, because loggers may be silent.
   */
  public static void run(ProgramBody work) {
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
