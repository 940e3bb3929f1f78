package io.ensemble.benchmarks;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.apache.htrace.core.HTraceConfiguration;
import org.apache.htrace.core.Tracer;
import site.ycsb.Client;
import site.ycsb.ClientThread;
import site.ycsb.DBFactory;
import site.ycsb.StatusThread;
import site.ycsb.UnknownDBException;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * One phase of YCSB, load or run, with YCSB's own client threads, throttle, workload, measurements
 * and exporter. YCSB's own program {@code site.ycsb.Client} adds little to them, and ends the
 * process with 0 in any case; see the decision record on YCSB.
 */
final class YcsbPhase {

  /** The interval of YCSB's status lines, and so of the histogram logs. */
  private static final int STATUS_SECONDS = 2;

  private final String name;
  private final boolean transactions;
  private final int operationCount;
  private final Properties properties;
  private final Path directory;

  private YcsbPhase(
      String name,
      boolean transactions,
      int operationCount,
      Properties properties,
      Path directory) {
    this.name = name;
    this.transactions = transactions;
    this.operationCount = operationCount;
    this.properties = new Properties();
    this.properties.putAll(properties);
    this.properties.setProperty("measurementtype", "hdrhistogram");
    this.properties.setProperty("hdrhistogram.percentiles", OperationFigures.PERCENTILES);
    this.properties.setProperty("hdrhistogram.fileoutput", "true");
    this.properties.setProperty(
        "hdrhistogram.output.path", directory.resolve(name + "-").toString());
    this.directory = directory;
  }

  /** Inserts the records; writes into {@code directory}. */
  static YcsbPhase load(Properties properties, Path directory) {
    int records = Integer.parseInt(properties.getProperty(Client.RECORD_COUNT_PROPERTY));
    return new YcsbPhase("load", false, records, properties, directory);
  }

  /** Runs the transactions; writes into {@code directory}. */
  static YcsbPhase run(Properties properties, Path directory) {
    int operations = Integer.parseInt(properties.getProperty(Client.OPERATION_COUNT_PROPERTY));
    return new YcsbPhase("run", true, operations, properties, directory);
  }

  /** The name {@code load} or {@code run}. */
  String name() {
    return name;
  }

  /**
   * Runs the phase to its end.
   *
   * @param onBegin receives an action that ends the phase early
   * @throws IOException if its text cannot be written
   */
  YcsbPhaseResult execute(Consumer<Runnable> onBegin) throws IOException, InterruptedException {
    forgetMeasurements(properties);
    Workload workload = new CoreWorkload();
    try {
      workload.init(properties);
    } catch (WorkloadException e) {
      throw new IllegalArgumentException(
          "the workload's properties are wrong: " + e.getMessage(), e);
    }
    onBegin.accept(workload::requestStop);
    CountDownLatch ended = new CountDownLatch(threads());
    List<ClientThread> clients = clients(workload, ended);
    List<Thread> threads = new ArrayList<>();
    clients.forEach(client -> threads.add(new Thread(client, "ycsb-" + threads.size())));
    StatusThread status = new StatusThread(ended, clients, name + " ", false, STATUS_SECONDS);

    long start = System.nanoTime();
    threads.forEach(Thread::start);
    status.start();
    for (Thread thread : threads) {
      thread.join();
    }
    long millis = Math.max(1, (System.nanoTime() - start) / 1_000_000);

    status.interrupt();
    status.join();
    long done = clients.stream().mapToLong(ClientThread::getOpsDone).sum();
    return new YcsbPhaseResult(name, operationCount, done, millis, export(done, millis));
  }

  private int threads() {
    int wanted = Integer.parseInt(properties.getProperty(Client.THREAD_COUNT_PROPERTY, "1"));
    return Math.min(wanted, operationCount);
  }

  /** The client threads, with the operations and the target shared out evenly. */
  private List<ClientThread> clients(Workload workload, CountDownLatch ended) {
    int threads = threads();
    double target = Integer.parseInt(properties.getProperty(Client.TARGET_PROPERTY, "0"));
    double perThreadAndMilli = target > 0 ? target / threads / 1000 : -1;
    Tracer tracer = new Tracer.Builder("YCSB").conf(HTraceConfiguration.fromMap(Map.of())).build();
    List<ClientThread> clients = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int operations = operationCount / threads + (i < operationCount % threads ? 1 : 0);
      try {
        ClientThread client =
            new ClientThread(
                DBFactory.newDB(EnsembleDb.class.getName(), properties, tracer),
                transactions,
                workload,
                properties,
                operations,
                perThreadAndMilli,
                ended);
        client.setThreadId(i);
        client.setThreadCount(threads);
        clients.add(client);
      } catch (UnknownDBException e) {
        throw new AssertionError("the binding is on the class path", e);
      }
    }
    return clients;
  }

  private Map<String, OperationFigures> export(long done, long millis) throws IOException {
    try (OutputStream out = Files.newOutputStream(directory.resolve(name + ".txt"))) {
      RecordingExporter exporter = new RecordingExporter(out);
      exporter.write("OVERALL", "RunTime(ms)", millis);
      exporter.write("OVERALL", "Throughput(ops/sec)", 1000.0 * done / millis);
      Measurements.getMeasurements().exportMeasurements(exporter);
      exporter.close();
      return exporter.operations();
    }
  }

  /**
   * Clears YCSB's measurements, which are in a static field that is set once, because YCSB measures
   * one phase per process. With that, two phases share a process, which spares the second one a
   * cold start.
   */
  private static void forgetMeasurements(Properties next) {
    try {
      Field singleton = Measurements.class.getDeclaredField("singleton");
      singleton.setAccessible(true);
      singleton.set(null, null);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("YCSB's measurements are in a static field named singleton", e);
    }
    Measurements.setProperties(next);
  }
}
