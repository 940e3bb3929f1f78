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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A client that sends a request to any of the services until it is answered for good. On the way it
 * does all that makes a request come twice: it ends the connection before the answer, loses its
 * patience, and asks two services at once. Of one thread.
 */
final class Asker {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(40);
  private static final int LONGEST_HASTE_MILLIS = 40;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final List<URI> services;
  private final Tally tally;
  private final Random random;
  private final boolean plain;

  /** How a request is sent. */
  enum Way {
    PLAIN,
    /** To two services at once. */
    TWICE,
    /** The connection is ended when the whole request has been sent. */
    LOST,
    /** The connection is ended if the answer takes long. */
    HASTY
  }

  Asker(List<URI> services, Tally tally, long seed) {
    this(services, tally, seed, false);
  }

  private Asker(List<URI> services, Tally tally, long seed, boolean plain) {
    this.services = List.copyOf(services);
    this.tally = tally;
    this.random = new Random(seed);
    this.plain = plain;
  }

  /** One that waits for every answer of one service. */
  static Asker plain(URI service, Tally tally, long seed) {
    return new Asker(List.of(service), tally, seed, true);
  }

  Random random() {
    return random;
  }

  Tally tally() {
    return tally;
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

  /** The answer for good, the same if it came from two services. */
  public Told known(Asked asked) {
    return same(asked, answers(asked));
  }

  /**
   * As {@link #known}; empty if the first try was the only one, and was told to have done nothing.
   */
  Optional<Told> knownUnlessRefused(Asked asked) {
    List<Told> first = sent(asked, random.nextBoolean() ? Way.PLAIN : anyWay());
    if (first.size() == 1 && first.get(0).isRefused() && random.nextInt(4) > 0) {
      tally.count("given up");
      return Optional.empty();
    }
    List<Told> ends = ends(asked, first);
    return Optional.of(ends.isEmpty() ? known(asked) : same(asked, ends));
  }

  /** All answers for good of the try that had one. */
  List<Told> answers(Asked asked) {
    return repeated(asked, false);
  }

  /** The same, and when it returns no try is under way any more. */
  List<Told> answersToAll(Asked asked) {
    return repeated(asked, true);
  }

  private List<Told> repeated(Asked asked, boolean answered) {
    long begin = System.nanoTime();
    while (true) {
      List<Told> came = sent(asked, answered ? answeredWay() : anyWay());
      List<Told> ends = ends(asked, came);
      if (!ends.isEmpty()) {
        return ends;
      }
      if (System.nanoTime() - begin > LONGEST.toNanos()) {
        throw new AssertionError("never answered for good: %s; last %s".formatted(asked, came));
      }
      pause(10 + random.nextInt(60));
    }
  }

  private List<Told> ends(Asked asked, List<Told> came) {
    for (Told one : came) {
      if (one.status() >= 500 && !one.isToBeAskedAgain()) {
        throw new AssertionError("wanted an answer that may be repeated: " + asked + " " + one);
      }
    }
    return came.stream().filter(one -> !one.isToBeAskedAgain()).collect(Collectors.toList());
  }

  private static Told same(Asked asked, List<Told> all) {
    for (Told one : all) {
      if (!one.gist().equals(all.get(0).gist())) {
        throw new AssertionError("two answers to one request: " + asked + " " + all);
      }
    }
    return all.get(0);
  }

  /** One try, and the answers that came. */
  List<Told> sent(Asked asked, Way way) {
    int first = random.nextInt(services.size());
    URI service = services.get(first);
    List<CompletableFuture<Told>> all = new ArrayList<>();
    switch (way) {
      case LOST -> lose(service, asked);
      case HASTY ->
          all.add(
              later(service, asked, Duration.ofMillis(1 + random.nextInt(LONGEST_HASTE_MILLIS))));
      case TWICE -> {
        all.add(later(service, asked, LONGEST_REQUEST));
        all.add(later(services.get((first + 1) % services.size()), asked, LONGEST_REQUEST));
      }
      default -> all.add(later(service, asked, LONGEST_REQUEST));
    }
    List<Told> came = new ArrayList<>();
    for (CompletableFuture<Told> one : all) {
      try {
        came.add(one.join());
      } catch (CompletionException e) {
        if (way != Way.HASTY) {
          throw new AssertionError("no answer came: " + asked, e);
        }
      }
    }
    if (came.isEmpty()) {
      tally.count("without an answer");
    }
    for (Told one : came) {
      String end = one.isUnknown() ? "unknown" : one.isRefused() ? "refused" : "answered";
      tally.count(end);
      if (asked.isOfObject() && !end.equals("answered")) {
        tally.count("object out of reach");
        tally.count("object " + end);
      }
    }
    return came;
  }

  private static CompletableFuture<Told> later(URI service, Asked asked, Duration longest) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service + asked.path()))
            .timeout(longest)
            .method(
                asked.method(),
                asked.body().isEmpty()
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(asked.body()));
    List<String> headers = asked.allHeaders();
    if (!headers.isEmpty()) {
      request.headers(headers.toArray(String[]::new));
    }
    long sent = System.nanoTime();
    CompletableFuture<HttpResponse<byte[]>> answer =
        HTTP.sendAsync(request.build(), BodyHandlers.ofByteArray());
    return answer.thenApply(came -> Told.of(came, sent));
  }

  private static void lose(URI service, Asked asked) {
    byte[] body = asked.body().getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder();
    head.append(asked.method()).append(' ').append(asked.path()).append(" HTTP/1.1\r\nHost: h\r\n");
    List<String> headers = asked.allHeaders();
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

  /** Lets some time pass, on which nothing depends. */
  static void pause(int millis) {
    try {
      boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the trial has ended", e);
    }
  }
}
