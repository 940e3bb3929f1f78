/**
 * Applications hold an atomic object as a proxy of its type. The proxy encodes each method call as
 * bytes, sends it, and decodes the response to a result or an exception.
 */
@NullMarked
package io.ensemble.objects.proxy;

import org.jspecify.annotations.NullMarked;
