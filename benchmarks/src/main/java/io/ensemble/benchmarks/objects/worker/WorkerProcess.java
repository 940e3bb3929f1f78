package io.ensemble.benchmarks.objects.worker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.process.LineProcess;
import io.ensemble.testkit.process.child.JavaProgram;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/** A {@link WorkerMain}, started and, on close, ended. One caller at a time. */
public final class WorkerProcess implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LONGEST_END = Duration.ofSeconds(20);

  private final LineProcess process;

  private WorkerProcess(LineProcess process) {
    this.process = process;
  }

  public static WorkerProcess start(WorkerEndpoints workerEndpoints) {
    try {
      return new WorkerProcess(
          LineProcess.start(
              JavaProgram.ofThisProcess(
                      WorkerMain.class.getName(), "-Xms64m", "-Xmx256m", "-XX:+UseSerialGC")
                  .process(JSON.writeValueAsString(workerEndpoints)),
              LONGEST_END));
    } catch (IOException e) {
      throw new UncheckedIOException("a process of clients did not start", e);
    }
  }

  /** Lets all processes execute their tasks in parallel, and returns their reports, in order. */
  public static List<WorkerReport> all(List<WorkerProcess> workers, List<WorkerTask> tasks) {
    for (int i = 0; i < tasks.size(); i++) {
      workers.get(i).send(tasks.get(i));
    }
    return workers.subList(0, tasks.size()).stream().map(WorkerProcess::answer).toList();
  }

  private void send(WorkerTask task) {
    try {
      process.tell(JSON.writeValueAsString(task));
    } catch (JsonProcessingException e) {
      throw new AssertionError("a task can be written", e);
    } catch (IOException e) {
      throw new UncheckedIOException("a process of clients has ended; task=" + task, e);
    }
  }

  private WorkerReport answer() {
    try {
      return JSON.readValue(process.answer(WorkerMain.REPORT), WorkerReport.class);
    } catch (EOFException e) {
      throw new IllegalStateException("a process of clients ended; see its output above", e);
    } catch (IOException e) {
      throw new UncheckedIOException("a process of clients does not answer", e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
