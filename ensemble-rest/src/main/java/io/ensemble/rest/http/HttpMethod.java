package io.ensemble.rest.http;

/** What may be asked of a resource. HEAD is GET without its body. */
public enum HttpMethod {
  GET,
  PUT,
  POST,
  PATCH,
  DELETE
}
