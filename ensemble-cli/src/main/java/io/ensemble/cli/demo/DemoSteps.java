package io.ensemble.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Runs steps one after another, each with its time and its verdict. Not thread-safe. */
public final class DemoSteps {

  private final Consumer<String> progress;
  private final List<StepReport> reports = new ArrayList<>();

  /** Reports the begin of each step to {@code progress}. */
  public DemoSteps(Consumer<String> progress) {
    this.progress = progress;
  }

  /** Thrown when a step has failed and has been reported; further steps would prove nothing. */
  public static final class DemoStoppedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoStoppedException(Throwable cause) {
      super(cause);
    }
  }

  /** A step whose result other steps need. */
  @FunctionalInterface
  public interface StepWithResult<T> {
    /** Returns the result. */
    T make() throws Exception;
  }

  /**
   * Runs a step.
   *
   * @param step returns its findings
   * @throws DemoStoppedException when it fails
   */
  public void step(String name, Callable<String> step) {
    progress.accept(name);
    long begin = System.nanoTime();
    try {
      String detail = step.call();
      reports.add(new StepReport(name, true, seconds(begin), detail));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reportFailure(name, begin, e);
    } catch (Exception e) {
      throw reportFailure(name, begin, e);
    }
  }

  /** Runs a step with a result; it reports no findings. */
  public <T> T make(String name, StepWithResult<T> step) {
    List<T> made = new ArrayList<>();
    step(
        name,
        () -> {
          made.add(step.make());
          return "";
        });
    return made.get(0);
  }

  private DemoStoppedException reportFailure(String name, long begin, Exception failure) {
    String message = failure.getMessage();
    String detail = message == null ? failure.getClass().getSimpleName() : message;
    reports.add(new StepReport(name, false, seconds(begin), detail));
    return new DemoStoppedException(failure);
  }

  /** The reports of the steps. */
  public List<StepReport> reports() {
    return List.copyOf(reports);
  }

  private static double seconds(long begin) {
    return Math.round((System.nanoTime() - begin) / 1e7) / 1e2;
  }
}
