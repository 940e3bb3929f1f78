/**
 * What users hold of an atomic object: a proxy of its face, which turns each call of a method into
 * bytes, has them answered, and turns the answer into a result or an exception.
 */
@NullMarked
package io.ensemble.objects.proxy;

import org.jspecify.annotations.NullMarked;
