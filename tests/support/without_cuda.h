/* The whole of a test of the cuda backend in a program that was built without it. */
#ifndef WITHOUT_CUDA_H
#define WITHOUT_CUDA_H

#include "tests/support/unit.h"
static void without_cuda(void **state)
{
  (void)state;
  print_message("this program was built without CUDA\n");
  skip();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_cuda)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
