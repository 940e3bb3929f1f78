package io.ensemble.rest.retries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A client that sends a request to any of the services until it has a final answer. It provokes
 * repetitions: it closes connections before the answer, has short timeouts, and asks two services
 * at the same time. Not thread-safe.
 */
final class RetryingClient {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(40);
  private static final int LONGEST_HASTE_MILLIS = 40;
  private static final int MOST_ATTEMPTS = 12;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final List<URI> services;
  private final RetryCounts retryCounts;
  private final Random random;
  private final boolean plain;

  /** The last attempts and their answers, for messages. */
  private final Deque<String> attempts = new ArrayDeque<>();

  /** How a request is sent. */
  enum Way {
    PLAIN,
    /** Sent to two services at the same time. */
    TWICE,
    /** The connection is closed when the whole request has been sent. */
    LOST,
    /** The connection is closed if the answer takes long. */
    HASTY
  }

  RetryingClient(List<URI> services, RetryCounts retryCounts, long seed) {
    this(services, retryCounts, seed, false);
  }

  private RetryingClient(List<URI> services, RetryCounts retryCounts, long seed, boolean plain) {
    this.services = List.copyOf(services);
    this.retryCounts = retryCounts;
    this.random = new Random(seed);
    this.plain = plain;
  }

  /** A client that waits for every answer of one service. */
  static RetryingClient plain(URI service, RetryCounts retryCounts, long seed) {
    return new RetryingClient(List.of(service), retryCounts, seed, true);
  }

  Random random() {
    return random;
  }

  /** The last attempts and their answers, one on a line. */
  String attempts() {
    return String.join("\n", attempts);
  }

  RetryCounts tally() {
    return retryCounts;
  }

  private Way anyWay() {
    if (plain) {
      return Way.PLAIN;
    }
    int chance = random.nextInt(20);
    if (chance < 9) {
      return Way.PLAIN;
    }
    return chance < 13 ? Way.TWICE : chance < 17 ? Way.LOST : Way.HASTY;
  }

  private Way answeredWay() {
    return plain || random.nextInt(3) > 0 ? Way.PLAIN : Way.TWICE;
  }

  /** The final answer; two services must give the same one. */
  public RecordedResponse known(RepeatableRequest repeatableRequest) {
    return same(repeatableRequest, answers(repeatableRequest));
  }

  /** As {@link #known}; may be empty if the first attempt was refused. */
  Optional<RecordedResponse> knownUnlessRefused(RepeatableRequest repeatableRequest) {
    List<RecordedResponse> first =
        sent(repeatableRequest, random.nextBoolean() ? Way.PLAIN : anyWay());
    if (first.size() == 1 && first.get(0).isRefused() && random.nextInt(4) > 0) {
      retryCounts.count("not repeated");
      return Optional.empty();
    }
    List<RecordedResponse> ends = ends(repeatableRequest, first);
    return Optional.of(ends.isEmpty() ? known(repeatableRequest) : same(repeatableRequest, ends));
  }

  /** All final answers of the first attempt that has any. */
  List<RecordedResponse> answers(RepeatableRequest repeatableRequest) {
    return repeated(repeatableRequest, false);
  }

  /** As {@link #answers}; no attempt is under way when this returns. */
  List<RecordedResponse> answersToAll(RepeatableRequest repeatableRequest) {
    return repeated(repeatableRequest, true);
  }

  private List<RecordedResponse> repeated(RepeatableRequest repeatableRequest, boolean answered) {
    long begin = System.nanoTime();
    while (true) {
      List<RecordedResponse> came = sent(repeatableRequest, answered ? answeredWay() : anyWay());
      List<RecordedResponse> ends = ends(repeatableRequest, came);
      if (!ends.isEmpty()) {
        return ends;
      }
      if (System.nanoTime() - begin > LONGEST.toNanos()) {
        throw new AssertionError(
            "never answered for good: %s; last %s".formatted(repeatableRequest, came));
      }
      pause(10 + random.nextInt(60));
    }
  }

  private List<RecordedResponse> ends(
      RepeatableRequest repeatableRequest, List<RecordedResponse> came) {
    for (RecordedResponse one : came) {
      if (one.status() >= 500 && !one.isToBeAskedAgain()) {
        throw new AssertionError(
            "expected an answer that may be repeated: " + repeatableRequest + " " + one);
      }
    }
    return came.stream().filter(one -> !one.isToBeAskedAgain()).collect(Collectors.toList());
  }

  private static RecordedResponse same(
      RepeatableRequest repeatableRequest, List<RecordedResponse> all) {
    for (RecordedResponse one : all) {
      if (!one.gist().equals(all.get(0).gist())) {
        throw new AssertionError("two answers to one request: " + repeatableRequest + " " + all);
      }
    }
    return all.get(0);
  }

  /** Makes one attempt, and returns the answers that arrived. */
  List<RecordedResponse> sent(RepeatableRequest repeatableRequest, Way way) {
    int first = random.nextInt(services.size());
    URI service = services.get(first);
    List<CompletableFuture<RecordedResponse>> all = new ArrayList<>();
    switch (way) {
      case LOST -> lose(service, repeatableRequest);
      case HASTY ->
          all.add(
              later(
                  service,
                  repeatableRequest,
                  Duration.ofMillis(1 + random.nextInt(LONGEST_HASTE_MILLIS))));
      case TWICE -> {
        all.add(later(service, repeatableRequest, LONGEST_REQUEST));
        all.add(
            later(services.get((first + 1) % services.size()), repeatableRequest, LONGEST_REQUEST));
      }
      default -> all.add(later(service, repeatableRequest, LONGEST_REQUEST));
    }
    List<RecordedResponse> came = new ArrayList<>();
    for (CompletableFuture<RecordedResponse> one : all) {
      try {
        came.add(one.join());
      } catch (CompletionException e) {
        if (way != Way.HASTY) {
          throw new AssertionError("no answer came: " + repeatableRequest, e);
        }
      }
    }
    attempts.addLast("%s %s: %s".formatted(way, repeatableRequest, came));
    if (attempts.size() > MOST_ATTEMPTS) {
      attempts.removeFirst();
    }
    if (came.isEmpty()) {
      retryCounts.count("without an answer");
    }
    for (RecordedResponse one : came) {
      String end = one.isUnknown() ? "unknown" : one.isRefused() ? "refused" : "answered";
      retryCounts.count(end);
      if (repeatableRequest.isOfObject() && !end.equals("answered")) {
        retryCounts.count("object out of reach");
        retryCounts.count("object " + end);
      }
    }
    return came;
  }

  private static CompletableFuture<RecordedResponse> later(
      URI service, RepeatableRequest repeatableRequest, Duration longest) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service + repeatableRequest.path()))
            .timeout(longest)
            .method(
                repeatableRequest.method(),
                repeatableRequest.body().isEmpty()
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(repeatableRequest.body()));
    List<String> headers = repeatableRequest.allHeaders();
    if (!headers.isEmpty()) {
      request.headers(headers.toArray(String[]::new));
    }
    long sent = System.nanoTime();
    CompletableFuture<HttpResponse<byte[]>> answer =
        HTTP.sendAsync(request.build(), BodyHandlers.ofByteArray());
    return answer.thenApply(came -> RecordedResponse.of(came, sent));
  }

  private static void lose(URI service, RepeatableRequest repeatableRequest) {
    byte[] body = repeatableRequest.body().getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder();
    head.append(repeatableRequest.method())
        .append(' ')
        .append(repeatableRequest.path())
        .append(" HTTP/1.1\r\nHost: h\r\n");
    List<String> headers = repeatableRequest.allHeaders();
    for (int i = 0; i < headers.size(); i += 2) {
      head.append(headers.get(i)).append(": ").append(headers.get(i + 1)).append("\r\n");
    }
    head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the service is not there", e);
    }
  }

  /** Lets some time pass; no result depends on it. */
  static void pause(int millis) {
    try {
      boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the trial has ended", e);
    }
  }
}
