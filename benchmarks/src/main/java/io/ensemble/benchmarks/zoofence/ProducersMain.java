package io.ensemble.benchmarks.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.benchmarks.process.HistogramText;
import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.testkit.process.child.ChildProgram;
import io.ensemble.zoofence.client.ZooFence;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * The producers of one site: reads one {@link QueueTask} per line, answers each with a {@link
 * QueueReport}, and ends when its standard input does. Each producer has sessions of its own.
 */
final class ProducersMain {

  static final String REPORT = "report ";

  private static final int SESSION_MILLIS = 30_000;
  private static final int LONGEST_CONNECT_SECONDS = 60;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The sessions of a producer, which may be the same. */
  private record Sessions(ZooKeeper own, ZooKeeper shared) {}

  private final ProducerEndpoints endpoints;
  private final Map<QueueSystem, List<Sessions>> sessions = new EnumMap<>(QueueSystem.class);

  private ProducersMain(ProducerEndpoints place) {
    this.endpoints = place;
  }

  /** Its argument is a {@link ProducerEndpoints} as JSON. */
  public static void main(String[] args) {
    LogSilencer.ofLibraries();
    ChildProgram.run(() -> work(args)); // Sessions end with their servers.
  }

  private static void work(String[] args) throws Exception {
    try (BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      ProducersMain site = new ProducersMain(JSON.readValue(args[0], ProducerEndpoints.class));
      for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
        QueueReport report = site.execute(JSON.readValue(line, QueueTask.class));
        System.out.println(REPORT + JSON.writeValueAsString(report));
      }
    }
  }

  private QueueReport execute(QueueTask task) throws Exception {
    return switch (task.kind()) {
      case BEGIN -> begin(task);
      case ADD -> add(task);
      case COUNT -> count(task);
    };
  }

  private QueueReport begin(QueueTask task) throws Exception {
    List<Sessions> of = sessions.computeIfAbsent(task.system(), s -> new ArrayList<>());
    while (of.size() < task.producers()) {
      of.add(connect(task.system()));
    }
    make(of.get(0).own(), endpoints.siteQueue(), task.slice());
    if (endpoints.isFirst()) {
      make(of.get(0).shared(), ProducerEndpoints.sharedQueue(), task.slice());
    }
    return QueueReport.of(0, 0);
  }

  private Sessions connect(QueueSystem system) throws IOException, InterruptedException {
    return switch (system) {
      case BY_HAND -> new Sessions(zooKeeper(endpoints.own()), zooKeeper(endpoints.spanning()));
      case SPANNING -> {
        ZooKeeper both = zooKeeper(endpoints.spanning());
        yield new Sessions(both, both);
      }
      case ZOOFENCE -> {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper both =
            new ZooFence(endpoints.zooFence(), SESSION_MILLIS, e -> connected.countDown());
        await(connected, endpoints.zooFence());
        yield new Sessions(both, both);
      }
    };
  }

  private static ZooKeeper zooKeeper(String address) throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper made = new ZooKeeper(address, SESSION_MILLIS, e -> connected.countDown());
    await(connected, address);
    return made;
  }

  private static void await(CountDownLatch connected, String address) throws InterruptedException {
    if (!connected.await(LONGEST_CONNECT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no session in time; servers=" + address);
    }
  }

  private static void make(ZooKeeper by, String queue, String slice)
      throws KeeperException, InterruptedException {
    if (by.exists(queue, false) == null) {
      make(by, queue); // ZooFence's exist since its creation.
    }
    make(by, queue + "/" + slice);
  }

  private static void make(ZooKeeper by, String path) throws KeeperException, InterruptedException {
    by.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private QueueReport add(QueueTask task) throws Exception {
    List<Sessions> of = sessions.getOrDefault(task.system(), List.of());
    ExecutorService threads = Executors.newFixedThreadPool(task.producers());
    try {
      long from = System.nanoTime() + task.warmMillis() * 1_000_000;
      long to = from + task.millis() * 1_000_000;
      List<Future<Producer>> loops = new ArrayList<>();
      for (int i = 0; i < task.producers(); i++) {
        Producer producer = new Producer(of.get(i).own(), of.get(i).shared());
        SplittableRandom random = new SplittableRandom(31L * endpoints.site() + i);
        loops.add(
            threads.submit(
                () ->
                    producer.run(
                        endpoints.siteQueue() + "/" + task.slice(),
                        ProducerEndpoints.sharedQueue() + "/" + task.slice(),
                        task.locality(),
                        random,
                        from,
                        to)));
      }
      return sum(loops);
    } finally {
      threads.shutdownNow();
    }
  }

  private static QueueReport sum(List<Future<Producer>> loops) throws Exception {
    Histogram own = new Histogram(3);
    Histogram shared = new Histogram(3);
    long ownElements = 0;
    long sharedElements = 0;
    for (Future<Producer> loop : loops) {
      Producer ended = loop.get();
      ownElements += ended.ownElements();
      sharedElements += ended.sharedElements();
      own.add(ended.ownLatencies());
      shared.add(ended.sharedLatencies());
    }
    return new QueueReport(
        ownElements, sharedElements, HistogramText.of(own), HistogramText.of(shared));
  }

  private QueueReport count(QueueTask task) throws Exception {
    Sessions one = sessions.getOrDefault(task.system(), List.of()).get(0);
    return QueueReport.of(
        elements(one.own(), endpoints.siteQueue() + "/" + task.slice()),
        endpoints.isFirst()
            ? elements(one.shared(), ProducerEndpoints.sharedQueue() + "/" + task.slice())
            : 0);
  }

  private static long elements(ZooKeeper by, String queue)
      throws KeeperException, InterruptedException {
    CountDownLatch synced = new CountDownLatch(1);
    by.sync(queue, (code, path, context) -> synced.countDown(), null);
    await(synced, queue);
    Stat stat = by.exists(queue, false);
    if (stat == null) {
      throw new IllegalStateException("a queue is not there; path=" + queue);
    }
    return stat.getNumChildren();
  }
}
