package io.ensemble.benchmarks.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link WorkerMain}, started and, on close, ended. One caller at a time. */
final class Worker implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_END_SECONDS = 20;

  private final Process process;
  private final BufferedReader answers;

  private Worker(Process process) {
    this.process = process;
    this.answers = process.inputReader(UTF_8);
  }

  static Worker start(Place place) {
    try {
      return new Worker(
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Xms64m",
                      "-Xmx256m",
                      "-XX:+UseSerialGC",
                      "-cp",
                      System.getProperty("java.class.path"),
                      WorkerMain.class.getName(),
                      JSON.writeValueAsString(place)))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException("a process of clients did not start", e);
    }
  }

  /** Has all of them carry out their tasks at once, and returns what they report, in order. */
  static List<Report> all(List<Worker> workers, List<Task> tasks) {
    for (int i = 0; i < tasks.size(); i++) {
      workers.get(i).send(tasks.get(i));
    }
    return workers.subList(0, tasks.size()).stream().map(Worker::answer).toList();
  }

  private void send(Task task) {
    try {
      process.outputWriter(UTF_8).append(JSON.writeValueAsString(task)).append('\n').flush();
    } catch (JsonProcessingException e) {
      throw new AssertionError("a task can be written", e);
    } catch (IOException e) {
      throw new UncheckedIOException("a process of clients has ended; task=" + task, e);
    }
  }

  private Report answer() {
    try {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        if (line.startsWith(WorkerMain.REPORT)) {
          return JSON.readValue(line.substring(WorkerMain.REPORT.length()), Report.class);
        }
      }
      throw new IllegalStateException("a process of clients ended; what it said stands above");
    } catch (IOException e) {
      throw new UncheckedIOException("a process of clients does not answer", e);
    }
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
