package io.ensemble.objects.docs;

import io.ensemble.objects.ReadOnly;
import java.util.Map;
import java.util.TreeMap;

// class:begin
public class Stock {
  private final Map<String, Integer> pieces = new TreeMap<>();

  public void deliver(String article, int count) {
    pieces.merge(article, count, Integer::sum);
  }

  public boolean take(String article, int count) { // look and change in one, for everybody
    int there = pieces.getOrDefault(article, 0);
    if (there < count) {
      return false;
    }
    pieces.put(article, there - count);
    return true;
  }

  @ReadOnly
  public int pieces(String article) {
    return pieces.getOrDefault(article, 0);
  }
}
// class:end
