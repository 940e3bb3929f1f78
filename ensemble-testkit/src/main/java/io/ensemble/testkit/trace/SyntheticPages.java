package io.ensemble.testkit.trace;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/**
 * Made up pages with the sizes of Wikipedia's: log-normal with a sigma of 1.44, so that 0.0002 %
 * would be over 1 MiB with the paper's mean. A version replaces a stretch of one twentieth of its
 * page.
 *
 * @param meanBytes the mean size of a page in bytes
 */
record SyntheticPages(int meanBytes) {

  private static final double SIGMA = 1.44;
  private static final int LONGEST = 240 << 10;
  private static final int EDIT_SHARE = 20;
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz ";

  byte[] page(RandomGenerator random) {
    double mu = Math.log(meanBytes) - SIGMA * SIGMA / 2;
    long length = Math.round(Math.exp(mu + SIGMA * random.nextGaussian()));
    byte[] page = new byte[(int) Math.max(1, Math.min(LONGEST, length))];
    write(page, 0, page.length, random);
    return page;
  }

  byte[] edit(byte[] page, RandomGenerator random) {
    byte[] next = page.clone();
    int length = Math.max(1, page.length / EDIT_SHARE);
    write(next, random.nextInt(page.length - length + 1), length, random);
    return next;
  }

  private static void write(byte[] page, int at, int length, RandomGenerator random) {
    byte[] letters = LETTERS.getBytes(StandardCharsets.US_ASCII);
    for (int i = at; i < at + length; i++) {
      page[i] = letters[random.nextInt(letters.length)];
    }
  }
}
