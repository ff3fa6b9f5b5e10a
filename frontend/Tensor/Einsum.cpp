#include "frontend/Tensor/Support.h"

#include <algorithm>

namespace burn {

namespace {

// A dimension's label: a letter, or one of the dimensions that "..." stands for, numbered from the last one.
using Label = int;
constexpr Label kEllipsis = 256;
bool isEllipsis(Label label) { return label >= kEllipsis; }

// A tensor whose dimensions have names, each once.
struct Term {
  Tensor tensor;
  std::vector<Label> labels;

  int64_t sizeOf(Label label) const {
    const auto place = std::ranges::find(labels, label);
    return place == labels.end() ? 1 : tensor.shape()[static_cast<unsigned>(place - labels.begin())];
  }
  bool has(Label label) const { return std::ranges::find(labels, label) != labels.end(); }
};

class Equation {
public:
  Equation(std::string_view text, std::span<const Tensor> tensors) : text_(text) {
    std::string dense;
    std::ranges::copy_if(text, std::back_inserter(dense), [](char c) { return c != ' '; });
    const size_t arrow = dense.find("->");
    std::string inputs = dense.substr(0, arrow);
    for (size_t start = 0; start <= inputs.size();) {
      const size_t comma = std::min(inputs.find(',', start), inputs.size());
      addInput(std::string_view(inputs).substr(start, comma - start), tensors);
      start = comma + 1;
    }
    if (terms_.size() != tensors.size())
      fail("names " + std::to_string(terms_.size()) + " tensors, got " + std::to_string(tensors.size()));
    result_ =
        arrow == std::string::npos ? impliedResult() : parse(std::string_view(dense).substr(arrow + 2), ellipsis_);
    for (size_t i = 0; i < result_.size(); ++i) {
      if (std::ranges::none_of(terms_, [&](const Term &term) { return term.has(result_[i]); }))
        fail("has '" + nameOf(result_[i]) + "' in its result alone");
      if (std::ranges::count(result_, result_[i]) > 1)
        fail("has '" + nameOf(result_[i]) + "' twice in its result");
    }
    checkSizes();
  }

  Tensor evaluate() {
    Term total = terms_[0];
    for (size_t i = 1; i < terms_.size(); ++i)
      total = product(total, terms_[i], i + 1);
    return ordered(summed(total, result_), result_);
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    raiseInvalid("einsum: the equation \"" + std::string(text_) + "\" " + what);
  }
  static std::string nameOf(Label label) {
    return isEllipsis(label) ? "..." : std::string(1, static_cast<char>(label));
  }

  // The labels of a list of letters, "..." standing for `hidden` dimensions.
  std::vector<Label> parse(std::string_view letters, unsigned hidden) const {
    std::vector<Label> labels;
    bool seen = false;
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters.substr(i, 3) == "...") {
        if (seen)
          fail("has \"...\" twice in one list");
        seen = true;
        for (unsigned k = hidden; k > 0; --k)
          labels.push_back(kEllipsis + static_cast<Label>(k) - 1);
        i += 2;
      } else if (std::isalpha(static_cast<unsigned char>(letters[i]))) {
        labels.push_back(letters[i]);
      } else {
        fail("has '" + std::string(1, letters[i]) + "', which is no letter");
      }
    }
    return labels;
  }

  void addInput(std::string_view letters, std::span<const Tensor> tensors) {
    if (terms_.size() == tensors.size())
      fail("names more tensors than the " + std::to_string(tensors.size()) + " that there are");
    const Tensor &tensor = tensors[terms_.size()];
    const unsigned rank = tensor.shape().rank();
    const size_t dots = letters.find("...");
    const size_t named = letters.size() - (dots == std::string_view::npos ? 0 : 3);
    const unsigned hidden = dots != std::string_view::npos && named < rank ? rank - static_cast<unsigned>(named) : 0;
    Term term{tensor, parse(letters, hidden)};
    if (term.labels.size() != rank)
      fail("has " + std::to_string(term.labels.size()) + " letters for a tensor of shape " + tensor.shape().str());
    ellipsis_ = std::max(ellipsis_, hidden);
    letters_.insert(letters_.end(), term.labels.begin(), term.labels.end());
    takeDiagonals(term);
    terms_.push_back(std::move(term));
  }

  // Dimensions with one label become their diagonal.
  void takeDiagonals(Term &term) const {
    for (size_t i = 0; i < term.labels.size(); ++i)
      for (size_t k = i + 1; k < term.labels.size();) {
        if (term.labels[i] != term.labels[k]) {
          ++k;
          continue;
        }
        const Shape &shape = term.tensor.shape();
        if (shape[static_cast<unsigned>(i)] != shape[static_cast<unsigned>(k)])
          fail("has '" + nameOf(term.labels[i]) + "' for different sizes of shape " + shape.str());
        term.tensor = movedim(diagonal(term.tensor, 0, static_cast<int64_t>(i), static_cast<int64_t>(k)), -1,
                              static_cast<int64_t>(i));
        term.labels.erase(term.labels.begin() + static_cast<ptrdiff_t>(k));
      }
  }

  std::vector<Label> impliedResult() const {
    std::vector<Label> result;
    for (unsigned k = ellipsis_; k > 0; --k)
      result.push_back(kEllipsis + static_cast<Label>(k) - 1);
    std::vector<Label> once;
    for (Label label : letters_)
      if (!isEllipsis(label) && std::ranges::count(letters_, label) == 1)
        once.push_back(label);
    std::ranges::sort(once);
    result.insert(result.end(), once.begin(), once.end());
    return result;
  }

  void checkSizes() const {
    for (const Term &term : terms_)
      for (Label label : term.labels)
        for (const Term &other : terms_) {
          const int64_t a = term.sizeOf(label), b = other.sizeOf(label);
          if (a != b && a != 1 && b != 1)
            fail("has '" + nameOf(label) + "' for sizes " + std::to_string(a) + " and " + std::to_string(b));
        }
  }

  // The sum over all dimensions that are not in `kept`.
  static Term summed(const Term &term, const std::vector<Label> &kept) {
    std::vector<int64_t> dims;
    Term result{term.tensor, {}};
    for (size_t i = 0; i < term.labels.size(); ++i) {
      if (std::ranges::find(kept, term.labels[i]) == kept.end())
        dims.push_back(static_cast<int64_t>(i));
      else
        result.labels.push_back(term.labels[i]);
    }
    if (!dims.empty())
      result.tensor = sum(term.tensor, dims);
    return result;
  }

  // The dimensions in the order of `labels`, which may name some that the term lacks: these are 1.
  static Tensor ordered(const Term &term, const std::vector<Label> &labels) {
    std::vector<int64_t> order;
    Shape shape;
    for (Label label : labels) {
      if (term.has(label))
        order.push_back(std::ranges::find(term.labels, label) - term.labels.begin());
      shape.push(term.sizeOf(label));
    }
    return term.tensor.permute(order).reshape(shape);
  }

  // The product of two terms, summed over what neither the result nor a term from `next` on names.
  Term product(const Term &first, const Term &second, size_t next) const {
    const auto isKept = [&](Label label) {
      return std::ranges::find(result_, label) != result_.end() ||
             std::any_of(terms_.begin() + static_cast<ptrdiff_t>(next), terms_.end(),
                         [&](const Term &term) { return term.has(label); });
    };
    std::vector<Label> all = first.labels, batch, rows, columns, contracted;
    for (Label label : second.labels)
      if (!first.has(label))
        all.push_back(label);
    std::vector<Label> keptFirst, keptSecond;
    for (Label label : all) {
      // A size of 1 that meets another one is broadcast, so it belongs to the other term alone.
      const bool inFirst = first.has(label) && (first.sizeOf(label) != 1 || second.sizeOf(label) == 1);
      const bool inSecond = second.has(label) && (second.sizeOf(label) != 1 || first.sizeOf(label) == 1);
      if (inFirst && inSecond) {
        (isKept(label) ? batch : contracted).push_back(label);
        keptFirst.push_back(label);
        keptSecond.push_back(label);
      } else if (isKept(label)) {
        (inFirst ? rows : columns).push_back(label);
        (inFirst ? keptFirst : keptSecond).push_back(label);
      }
    }
    const Term left = summed(first, keptFirst), right = summed(second, keptSecond);
    const auto size = [](const Term &term, const std::vector<Label> &labels) {
      int64_t count = 1;
      for (Label label : labels)
        count *= term.sizeOf(label);
      return count;
    };
    const auto arranged = [&](const Term &term, std::initializer_list<const std::vector<Label> *> lists) {
      std::vector<Label> order;
      Shape shape;
      for (const std::vector<Label> *list : lists) {
        order.insert(order.end(), list->begin(), list->end());
        shape.push(size(term, *list));
      }
      return ordered(term, order).reshape(shape);
    };
    Term result;
    Shape shape;
    const auto add = [&](const Term &term, const std::vector<Label> &labels) {
      for (Label label : labels) {
        result.labels.push_back(label);
        if (!shape.push(term.sizeOf(label)))
          fail("has a value of too many dimensions");
      }
    };
    add(left, batch);
    add(left, rows);
    add(right, columns);
    result.tensor = bmm(arranged(left, {&batch, &rows, &contracted}), arranged(right, {&batch, &contracted, &columns}))
                        .reshape(shape);
    return result;
  }

  std::string_view text_;
  std::vector<Term> terms_;
  std::vector<Label> letters_, result_;
  unsigned ellipsis_ = 0;
};

} // namespace

Tensor einsum(std::string_view equation, std::span<const Tensor> tensors, Where where) {
  const LocationScope scope(where);
  if (tensors.empty())
    raiseInvalid("einsum: expects at least one tensor");
  if (!std::ranges::all_of(tensors, &Tensor::defined))
    raiseInvalid("einsum: a tensor is not defined");
  return Equation(equation, tensors).evaluate();
}

} // namespace burn
