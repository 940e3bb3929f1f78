package io.ensemble.rest.http;

/** What may be asked of a resource. HEAD is GET without its body. */
public enum Method {
  GET,
  PUT,
  POST,
  PATCH,
  DELETE
}
