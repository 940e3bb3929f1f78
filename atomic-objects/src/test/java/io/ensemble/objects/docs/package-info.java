/** The examples of the documents, compiled and run. */
package io.ensemble.objects.docs;
